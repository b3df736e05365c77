// RUN: tinytc-opt %s --tinytc-attach-target --linalg-to-gpu | FileCheck %s

// Loops in affine form are shared, too.
// CHECK-LABEL: gpu.func @parallel(
//       CHECK:   %[[ITEM:.*]] = {{gpu|arith}}
//   CHECK-NOT:   scf.parallel
//       CHECK:   memref.store
func.func @parallel(%a: memref<64xf32>, %x: f32)
    attributes {tinytc.manifest = #tinytc.manifest<>, tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %a[%i] : memref<64xf32>
  }
  return
}
