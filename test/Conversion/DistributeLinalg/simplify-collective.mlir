// RUN: tinytc-opt %s --tinytc-simplify-collective | FileCheck %s --check-prefixes=CHECK,APART
// RUN: tinytc-opt %s --tinytc-simplify-collective=uplift-to-fma | FileCheck %s --check-prefixes=CHECK,FMA

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

// CHECK-LABEL: @contracts_where_allowed
//       FMA:     math.fma
//       APART:   arith.mulf
//  APART-NEXT:   arith.addf
//       CHECK:   return
func.func @contracts_where_allowed(%x: f32, %y: f32, %z: f32) -> f32 {
  %product = arith.mulf %x, %y fastmath<contract> : f32
  %sum = arith.addf %product, %z fastmath<contract> : f32
  return %sum : f32
}

// CHECK-LABEL: @negative_contracts
//       CHECK:   arith.mulf
//  CHECK-NEXT:   arith.addf
func.func @negative_contracts(%x: f32, %y: f32, %z: f32) -> f32 {
  %product = arith.mulf %x, %y : f32
  %sum = arith.addf %product, %z : f32
  return %sum : f32
}

// Of two barriers one is left, which fences what both of them do.
// CHECK-LABEL: @unites_barriers
//       CHECK:   gpu.barrier {tinytc.fences = [#tinytc<address_space local>, #tinytc<address_space global>]}
//  CHECK-NEXT:   memref.store
//  CHECK-NEXT:   gpu.barrier{{$}}
//  CHECK-NEXT:   return
func.func @unites_barriers(%x: f32, %a: memref<f32>) {
  gpu.barrier {tinytc.fences = [#tinytc<address_space local>]}
  gpu.barrier {tinytc.fences = [#tinytc<address_space global>]}
  memref.store %x, %a[] : memref<f32>
  gpu.barrier
  gpu.barrier {tinytc.fences = [#tinytc<address_space global>]}
  return
}
