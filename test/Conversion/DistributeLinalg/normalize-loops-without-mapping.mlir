// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-normalize-linalg --canonicalize | FileCheck %s

// A loop without a mapping gets one, so that the canonicalizer keeps its single iteration.
// CHECK-LABEL: @single_iteration
//       CHECK:   scf.forall
//       CHECK:     memref.store
//       CHECK:   mapping = [#tinytc.work_item<0>]
func.func @single_iteration(%a: memref<4xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  scf.forall (%i) in (1) {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  return
}
