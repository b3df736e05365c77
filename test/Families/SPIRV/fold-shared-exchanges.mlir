// RUN: tinytc-opt %s --tinytc-fold-shared-exchanges --tinytc-convert-gpu-to-spirv --canonicalize | FileCheck %s

// Functions of a subgroup of what all lanes have are computed without it for a CPU.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // CHECK-LABEL: @shared
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[N:[^:]*]]: i64,
  //   CHECK-NOT:   spirv.Group
  //   CHECK-DAG:   %[[F:.*]] = spirv.Constant 1.600000e+01 : f32
  //   CHECK-DAG:   %[[I:.*]] = spirv.Constant 16 : i64
  //   CHECK-DAG:   spirv.FMul %[[X]], %[[F]] : f32
  //   CHECK-DAG:   spirv.IMul %[[N]], %[[I]] : i64
  //   CHECK-NOT:   spirv.Group
  //       CHECK:   spirv.Return
  gpu.func @shared(%x: f32, %n: i64, %lane: i32, %a: memref<?xf32>, %b: memref<?xi64>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %sum = gpu.subgroup_reduce add %x : (f32) -> f32
    memref.store %sum, %a[%zero] : memref<?xf32>
    %count = gpu.subgroup_reduce add %n : (i64) -> i64
    memref.store %count, %b[%zero] : memref<?xi64>
    %most = gpu.subgroup_reduce maxsi %n : (i64) -> i64
    memref.store %most, %b[%one] : memref<?xi64>
    %first = gpu.subgroup_broadcast %x, specific_lane %lane : f32
    memref.store %first, %a[%one] : memref<?xf32>
    gpu.return
  }

  // All lanes make the same choice.
  // CHECK-LABEL: @choice
  //   CHECK-NOT:   spirv.Group
  //       CHECK:   spirv.IMul
  //   CHECK-NOT:   spirv.Group
  //       CHECK:   spirv.Return
  gpu.func @choice(%a: memref<?xi64>) kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %three = arith.constant 3 : i64
    %four = arith.constant 4 : i64
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %ten = arith.constant 10 : index
    %last = scf.for %i = %zero to %ten step %one iter_args(%x = %three) -> (i64) {
      %is_small = arith.cmpi slt, %x, %four : i64
      %y = scf.if %is_small -> (i64) {
        scf.yield %four : i64
      } else {
        scf.yield %three : i64
      }
      scf.yield %y : i64
    }
    %lane = gpu.lane_id
    %sum = gpu.subgroup_reduce add %last uniform : (i64) -> i64
    memref.store %sum, %a[%lane] : memref<?xi64>
    gpu.return
  }

  // A lane loads its own.
  // CHECK-LABEL: @differing
  //       CHECK:   spirv.GroupNonUniformFAdd <Subgroup> <Reduce>
  gpu.func @differing(%a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %x = memref.load %a[%lane] : memref<?xf32>
    %sum = gpu.subgroup_reduce add %x : (f32) -> f32
    memref.store %sum, %a[%lane] : memref<?xf32>
    gpu.return
  }

  // Lanes have a partner or not.
  // CHECK-LABEL: @partner
  //       CHECK:   spirv.GroupNonUniformFAdd <Subgroup> <Reduce>
  gpu.func @partner(%x: f32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : i32
    %lanes = arith.constant 16 : i32
    %below, %has_below = gpu.shuffle up %x, %one, %lanes : f32
    %added = arith.select %has_below, %below, %zero : f32
    %sum = gpu.subgroup_reduce add %added : (f32) -> f32
    memref.store %sum, %a[%lane] : memref<?xf32>
    gpu.return
  }

  // Sums are over the lanes that run.
  // CHECK-LABEL: @some_lanes
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32
  //       CHECK:   %[[COUNT:.*]] = spirv.GroupNonUniformIAdd <Subgroup> <Reduce> %{{.*}} : i32
  //       CHECK:   %[[FACTOR:.*]] = spirv.ConvertSToF %[[COUNT]] : i32 to f32
  //       CHECK:   spirv.FMul %[[X]], %[[FACTOR]] : f32
  gpu.func @some_lanes(%x: f32, %n: index, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %runs = arith.cmpi slt, %lane, %n : index
    scf.if %runs {
      %sum = gpu.subgroup_reduce add %x : (f32) -> f32
      memref.store %sum, %a[%lane] : memref<?xf32>
    }
    gpu.return
  }

  // All lanes run the loop: its bound is the same for them, whatever had its memory before.
  // CHECK-LABEL: @bound
  //  CHECK-SAME:   (%{{.*}}: i32, %{{.*}}: i32, %[[X:[^:]*]]: f32
  //   CHECK-NOT:   spirv.Group
  //       CHECK:   %[[LANES:.*]] = spirv.Constant 1.600000e+01 : f32
  //   CHECK-NOT:   spirv.Group
  //       CHECK:   spirv.FMul %[[X]], %[[LANES]] : f32
  //   CHECK-NOT:   spirv.Group
  //       CHECK:   spirv.Return
  gpu.func @bound(%m: i32, %n: i32, %x: f32, %a: memref<?xf32>, %b: memref<?xi32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %first = arith.constant 0 : index
    %lane = gpu.lane_id
    %own = arith.index_cast %lane : index to i32
    %of_own = gpu.subgroup_broadcast %m, specific_lane %own : i32
    memref.store %of_own, %b[%lane] : memref<?xi32>
    %end = gpu.subgroup_reduce add %n : (i32) -> i32
    scf.for %i = %zero to %end step %one : i32 {
      %sum = gpu.subgroup_reduce add %x : (f32) -> f32
      memref.store %sum, %a[%first] : memref<?xf32>
    }
    gpu.return
  }
}
}
