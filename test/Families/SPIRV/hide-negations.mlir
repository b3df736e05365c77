// RUN: tinytc-opt %s --tinytc-hide-negations --tinytc-convert-gpu-to-spirv | FileCheck %s

// In a kernel with barriers, what may become a negation on the way to a value that lives
// across one gets a broadcast -0.0, of which optimizers know nothing.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {

  // CHECK-LABEL: @lane
  //       CHECK:   %[[BITS:.*]] = spirv.Constant -2147483648 : i64
  //       CHECK:   %[[OPAQUE:.*]] = spirv.GroupBroadcast <Subgroup> %[[BITS]]
  //       CHECK:   %[[INT:.*]] = spirv.SConvert %[[OPAQUE]] : i64 to i32
  //       CHECK:   %[[ZERO:.*]] = spirv.Bitcast %[[INT]] : i32 to f32
  //       CHECK:   %[[X:.*]] = spirv.ConvertSToF
  //       CHECK:   %[[Y:.*]] = spirv.FSub %[[ZERO]], %[[X]] : f32
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[Y]]
  gpu.func @lane(%C: memref<?xf32>) kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %i = arith.index_cast %lane : index to i32
    %x = arith.sitofp %i : i32 to f32
    %y = arith.negf %x : f32
    gpu.barrier
    memref.store %y, %C[%lane] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: @minus_one
  //   CHECK-DAG:   %[[MINUS:.*]] = spirv.Constant -1.0
  //       CHECK:   %[[LEFT:.*]] = spirv.FAdd
  //       CHECK:   %[[FACTOR:.*]] = spirv.FAdd %{{.*}}, %[[MINUS]] : f32
  //       CHECK:   spirv.FMul %[[LEFT]], %[[FACTOR]] : f32
  //       CHECK:   %[[DIVISOR:.*]] = spirv.FAdd %{{.*}}, %[[MINUS]] : f32
  //       CHECK:   %[[ID:.*]] = spirv.CompositeExtract
  //       CHECK:   %[[SIGN:.*]] = spirv.ShiftRightLogical %[[ID]], %{{.*}} : i64, i64
  //       CHECK:   %[[NARROW:.*]] = spirv.SConvert %[[SIGN]] : i64 to i32
  //       CHECK:   %[[OR:.*]] = spirv.BitwiseOr %[[NARROW]]
  //       CHECK:   %[[UNKNOWN:.*]] = spirv.Bitcast %[[OR]] : i32 to f32
  //       CHECK:   %[[SUM:.*]] = spirv.FAdd %[[DIVISOR]], %[[UNKNOWN]] : f32
  //       CHECK:   spirv.FDiv %{{.*}}, %[[SUM]] : f32
  gpu.func @minus_one(%C: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %i = arith.index_cast %lane : index to i32
    %x = arith.sitofp %i : i32 to f32
    %m = arith.constant -1.0 : f32
    %y = arith.mulf %x, %m : f32
    %z = arith.divf %y, %m : f32
    gpu.barrier
    memref.store %z, %C[%lane] : memref<?xf32>
    gpu.return
  }

  // Without barriers, nothing is kept.
  // CHECK-LABEL: @negative_no_barrier
  //       CHECK:   spirv.FNegate
  gpu.func @negative_no_barrier(%C: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %i = arith.index_cast %lane : index to i32
    %x = arith.sitofp %i : i32 to f32
    %y = arith.negf %x : f32
    memref.store %y, %C[%lane] : memref<?xf32>
    gpu.return
  }

  // What the lane loads stays between two barriers, also under a condition and in a sum.
  // CHECK-LABEL: @negative_loaded
  //   CHECK-NOT:   spirv.FSub
  //       CHECK:   spirv.FNegate
  //   CHECK-NOT:   spirv.FSub
  //       CHECK:   spirv.FNegate
  //   CHECK-NOT:   spirv.FSub
  //       CHECK:   spirv.Return
  gpu.func @negative_loaded(%A: memref<?xf32>, %C: memref<?xf32>, %n: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    gpu.barrier
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %isRow = arith.cmpi slt, %lane, %n : index
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %a = scf.if %isRow -> f32 {
        %0 = memref.load %A[%lane] : memref<?xf32>
        scf.yield %0 : f32
      } else {
        scf.yield %zero : f32
      }
      %m = arith.negf %a : f32
      %t = arith.addf %s, %m : f32
      scf.yield %t : f32
    }
    %y = arith.negf %sum : f32
    memref.store %y, %C[%lane] : memref<?xf32>
    gpu.barrier
    gpu.return
  }

  // A number that is needed before the barrier only stays there.
  // CHECK-LABEL: @negative_stored_before_barrier
  //       CHECK:   spirv.FNegate
  gpu.func @negative_stored_before_barrier(%A: memref<?xf32>, %C: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %x = memref.load %A[%lane] : memref<?xf32>
    %y = arith.negf %x : f32
    memref.store %y, %C[%lane] : memref<?xf32>
    gpu.barrier
    gpu.return
  }

  // What all work-items share may be kept once.
  // CHECK-LABEL: @negative_shared
  //       CHECK:   spirv.FNegate
  gpu.func @negative_shared(%C: memref<?xf32>, %a: f32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %y = arith.negf %a : f32
    gpu.barrier
    memref.store %y, %C[%lane] : memref<?xf32>
    gpu.return
  }

  // LLVM also makes a negation of the bits of a number.
  // CHECK-LABEL: @turned_bits
  //   CHECK-DAG:   %[[NOTHING:.*]] = spirv.Constant 0 : i64
  //   CHECK-DAG:   %[[OPAQUE:.*]] = spirv.GroupBroadcast <Subgroup> %[[NOTHING]]
  //       CHECK:   %[[ZERO:.*]] = spirv.SConvert %[[OPAQUE]] : i64 to i32
  //       CHECK:   %[[BITS:.*]] = spirv.Bitcast %{{.*}} : f32 to i32
  //       CHECK:   %[[SUM:.*]] = spirv.IAdd %[[BITS]], %[[ZERO]] : i32
  //       CHECK:   spirv.BitwiseXor %[[SUM]]
  gpu.func @turned_bits(%C: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %sign = arith.constant 0x80000000 : i32
    %i = arith.index_cast %lane : index to i32
    %x = arith.sitofp %i : i32 to f32
    %bits = arith.bitcast %x : f32 to i32
    %turned = arith.xori %bits, %sign : i32
    %y = arith.bitcast %turned : i32 to f32
    gpu.barrier
    memref.store %y, %C[%lane] : memref<?xf32>
    gpu.return
  }
}
}
