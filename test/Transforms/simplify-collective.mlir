// RUN: tinytc-opt %s --tinytc-simplify-collective | FileCheck %s

// CHECK-LABEL: @negative_single_iteration
//       CHECK:   scf.parallel
//  CHECK-NEXT:     memref.atomic_rmw
func.func @negative_single_iteration(%x: f32, %a: memref<1xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%one) step (%one) {
    %0 = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<1xf32>) -> f32
  }
  return
}

// CHECK-LABEL: @folds_arithmetic
//       CHECK:   %[[SUM:.*]] = arith.constant 5 : index
//  CHECK-NEXT:   return %[[SUM]]
func.func @folds_arithmetic() -> index {
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %sum = arith.addi %two, %three : index
  return %sum : index
}
