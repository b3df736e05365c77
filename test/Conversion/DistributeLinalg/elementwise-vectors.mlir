// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// A matrix that is one line: on GPUs of Intel a work-item takes as many elements at once
// as are 16 bytes, and loads all before it stores any. The rest goes one by one.

#id = affine_map<(d0, d1) -> (d0, d1)>

module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:pvc", family = intel_gpu,
    subgroup_sizes = [16, 32], max_work_group_size = 1024, local_memory_bytes = 131072,
    f64 = true>} {

// CHECK-LABEL: @line
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//   CHECK-DAG:   %[[OWN:.*]] = arith.muli %[[LANE]], %c4
//       CHECK:   scf.for %[[I:.*]] = %c0{{.*}} to %c128{{.*}} step %c64
//       CHECK:     arith.addi %[[I]], %[[OWN]]
// CHECK-COUNT-4:     memref.load
//   CHECK-NOT:     memref.load
// CHECK-COUNT-4:     memref.store
//   CHECK-NOT:     memref.store
//       CHECK:   } {tinytc.unroll = false}
//       CHECK:   memref.load
//       CHECK:   memref.store
func.func @line(%a: memref<33x4xf32, strided<[1, 33]>>,
                %b: memref<33x4xf32, strided<[1, 33]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<33x4xf32, strided<[1, 33]>>)
      outs(%b : memref<33x4xf32, strided<[1, 33]>>) {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  }
  return
}

// Smaller elements: two words of them.
// CHECK-LABEL: @short_elements
//       CHECK:   scf.for %{{.*}} = %c0{{.*}} to %c128{{.*}} step %c64
// CHECK-COUNT-4:     memref.load
//   CHECK-NOT:     memref.load
//       CHECK:   } {tinytc.unroll = false}
func.func @short_elements(%a: memref<33x4xi16, strided<[1, 33]>>,
                          %b: memref<33x4xi16, strided<[1, 33]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<33x4xi16, strided<[1, 33]>>)
      outs(%b : memref<33x4xi16, strided<[1, 33]>>) {
  ^bb0(%new: i16, %old: i16):
    linalg.yield %new : i16
  }
  return
}
}
