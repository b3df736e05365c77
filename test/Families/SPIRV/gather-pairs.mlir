// RUN: tinytc-opt %s --split-input-file --tinytc-gather-pairs --tinytc-convert-gpu-to-spirv | FileCheck %s

// Two adjacent elements that each lane reads from a line of its own are one number.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @pair
  //       CHECK:   %[[FIRST:.*]] = spirv.PtrAccessChain
  //       CHECK:   %[[NUMBER:.*]] = spirv.Bitcast %[[FIRST]] : !spirv.ptr<f32, CrossWorkgroup> to !spirv.ptr<i64, CrossWorkgroup>
  //       CHECK:   %[[BITS:.*]] = spirv.Load "CrossWorkgroup" %[[NUMBER]] ["Aligned", 4] : i64
  //       CHECK:   %[[PAIR:.*]] = spirv.Bitcast %[[BITS]] : i64 to vector<2xf32>
  //   CHECK-DAG:   %[[X:.*]] = spirv.CompositeExtract %[[PAIR]][0 : i32]
  //   CHECK-DAG:   %[[Y:.*]] = spirv.CompositeExtract %[[PAIR]][1 : i32]
  //   CHECK-NOT:   spirv.Load
  //   CHECK-DAG:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[X]]
  //   CHECK-DAG:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[Y]]
  gpu.func @pair(%a: memref<?xf32>, %b: memref<?xf32>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %one = arith.constant 1 : index
    %line = arith.constant 35 : index
    %lane = gpu.lane_id
    %own = arith.muli %lane, %line : index
    %first = arith.addi %own, %i : index
    %second = arith.addi %first, %one : index
    %x = memref.load %a[%first] : memref<?xf32>
    %y = memref.load %a[%second] : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.store %y, %b[%lane] : memref<?xf32>
    gpu.return
  }

  // Neighbouring lanes read neighbouring elements.
  // CHECK-LABEL: spirv.func @negative_adjacent_lanes
  //   CHECK-NOT:   i64 to vector
  //       CHECK:   spirv.Return
  gpu.func @negative_adjacent_lanes(%a: memref<?xf32>, %b: memref<?xf32>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %one = arith.constant 1 : index
    %lane = gpu.lane_id
    %first = arith.addi %lane, %i : index
    %second = arith.addi %first, %one : index
    %x = memref.load %a[%first] : memref<?xf32>
    %y = memref.load %a[%second] : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.store %y, %b[%lane] : memref<?xf32>
    gpu.return
  }

  // The second element may be the one that is stored.
  // CHECK-LABEL: spirv.func @negative_store_between
  //   CHECK-NOT:   i64 to vector
  //       CHECK:   spirv.Return
  gpu.func @negative_store_between(%a: memref<?xf32>, %b: memref<?xf32>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %one = arith.constant 1 : index
    %line = arith.constant 35 : index
    %lane = gpu.lane_id
    %first = arith.muli %lane, %line : index
    %second = arith.addi %first, %one : index
    %x = memref.load %a[%first] : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    %y = memref.load %a[%second] : memref<?xf32>
    memref.store %y, %b[%lane] : memref<?xf32>
    gpu.return
  }

  // Not adjacent, of 8 bytes, of two matrices.
  // CHECK-LABEL: spirv.func @negative_others
  //   CHECK-NOT:   to vector<2x
  //       CHECK:   spirv.Return
  gpu.func @negative_others(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf64>,
                            %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %line = arith.constant 35 : index
    %lane = gpu.lane_id
    %first = arith.muli %lane, %line : index
    %second = arith.addi %first, %one : index
    %third = arith.addi %first, %two : index
    %x = memref.load %a[%first] : memref<?xf32>
    %y = memref.load %a[%third] : memref<?xf32>
    %z = memref.load %b[%second] : memref<?xf32>
    %v = memref.load %c[%first] : memref<?xf64>
    %w = memref.load %c[%second] : memref<?xf64>
    memref.store %x, %a[%i] : memref<?xf32>
    memref.store %y, %b[%i] : memref<?xf32>
    memref.store %z, %b[%lane] : memref<?xf32>
    memref.store %v, %c[%i] : memref<?xf64>
    memref.store %w, %c[%lane] : memref<?xf64>
    gpu.return
  }
}
}

// -----

// AVX2 has not been measured.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @negative_avx2
  //   CHECK-NOT:   i64 to vector
  //       CHECK:   spirv.Return
  gpu.func @negative_avx2(%a: memref<?xf32>, %b: memref<?xf32>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %one = arith.constant 1 : index
    %line = arith.constant 35 : index
    %lane = gpu.lane_id
    %first = arith.muli %lane, %line : index
    %second = arith.addi %first, %one : index
    %x = memref.load %a[%first] : memref<?xf32>
    %y = memref.load %a[%second] : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.store %y, %b[%lane] : memref<?xf32>
    gpu.return
  }
}
}
