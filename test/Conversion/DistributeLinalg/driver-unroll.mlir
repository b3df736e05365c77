// RUN: tinytc-opt %s --tinytc-choose-strategies \
// RUN:   --tinytc-distribute-linalg --split-input-file | FileCheck %s

// Drivers are asked not to unroll the loops that distribution makes. They decide about the
// loops of the program.

#id = affine_map<(d0) -> (d0)>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
// CHECK-LABEL: @cpu
//       CHECK:   scf.for
//       CHECK:     memref.store
//  CHECK-NEXT:   } {tinytc.unroll = false}
//       CHECK:   scf.for
//       CHECK:     memref.store
//  CHECK-NEXT:   }{{$}}
func.func @cpu(%a: memref<64xf32>, %b: memref<64xf32>, %x: f32, %from: index,
               %to: index, %step: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  }
  scf.for %i = %from to %to step %step {
    memref.store %x, %a[%i] : memref<64xf32>
  }
  return
}
}

// -----

#id = affine_map<(d0) -> (d0)>

module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:pvc", family = intel_gpu,
    subgroup_sizes = [16, 32], max_work_group_size = 1024, local_memory_bytes = 131072,
    f64 = true>} {
// CHECK-LABEL: @gpu
//       CHECK:   scf.for
//       CHECK:     memref.store
//  CHECK-NEXT:   } {tinytc.unroll = false}
func.func @gpu(%a: memref<64xf32>, %b: memref<64xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  }
  return
}
}
