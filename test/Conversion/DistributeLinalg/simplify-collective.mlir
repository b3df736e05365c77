// RUN: tinytc-opt %s --tinytc-simplify-collective | FileCheck %s --check-prefixes=CHECK,APART
// RUN: tinytc-opt %s --tinytc-simplify-collective=uplift-to-fma | FileCheck %s --check-prefixes=CHECK,FMA

// CHECK-LABEL: @negative_bounds
//       CHECK:   %[[ONE:.*]] = arith.constant 1 : index
//       CHECK:   scf.forall (%[[I:.*]]) in (%[[ONE]]) {
//  CHECK-NEXT:     memref.store %{{.*}}[%[[I]]]
func.func @negative_bounds(%x: f32, %a: memref<1xf32>) {
  %one = arith.constant 1 : index
  scf.forall (%i) in (%one) {
    memref.store %x, %a[%i] : memref<1xf32>
  } {mapping = [#tinytc.work_item<0>]}
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

// CHECK-LABEL: @undefined_view
//       CHECK:   memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [0, 4], strides: [1, 0]
func.func @undefined_view(%a: memref<8xf32>) -> memref<?x?xf32, strided<[?, ?], offset: ?>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %negative = arith.constant -3 : index
  %dynamic = arith.constant -9223372036854775808 : index
  %0 = memref.reinterpret_cast %a to
    offset: [%c0], sizes: [%negative, %c4], strides: [%c1, %dynamic]
    : memref<8xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
}

// CHECK-LABEL: @negative_stride
//       CHECK:   memref.reinterpret_cast %{{.*}} to offset: [7], sizes: [8], strides: [-1]
func.func @negative_stride(%a: memref<8xf32>) -> memref<?xf32, strided<[?], offset: ?>> {
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %negative = arith.constant -1 : index
  %0 = memref.reinterpret_cast %a to offset: [%c7], sizes: [%c8], strides: [%negative]
    : memref<8xf32> to memref<?xf32, strided<[?], offset: ?>>
  return %0 : memref<?xf32, strided<[?], offset: ?>>
}
