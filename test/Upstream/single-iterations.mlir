// RUN: tinytc-opt %s --canonicalize | FileCheck %s

// An scf.parallel of one iteration is inlined, though it may say that one work-item does it.

// CHECK-LABEL: @once
//   CHECK-NOT:   scf.parallel
//       CHECK:   memref.store
func.func @once(%a: memref<4xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%one) step (%one) {
    memref.store %x, %a[%i] : memref<4xf32>
    scf.reduce
  }
  return
}
