// RUN: tinytc-opt %s \
// RUN:   --pass-pipeline='builtin.module(tinytc-attach-target,func.func(tinytc-unroll-loops{max-ops=9}),cse,canonicalize)' \
// RUN:   | FileCheck %s

// CHECK-LABEL: @all_iterations
//   CHECK-NOT:   scf.for
//  CHECK-COUNT-3: memref.load
//   CHECK-NOT:   memref.load
//       CHECK:   return
func.func @all_iterations(%a: memref<8xf32>, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %init) -> (f32) {
    %v = memref.load %a[%i] : memref<8xf32>
    %y = arith.addf %x, %v : f32
    scf.yield %y : f32
  } {tinytc.unroll = true}
  return %sum : f32
}

// Seven iterations are twice three, plus one; the driver is told not to unroll further.
// CHECK-LABEL: @limit
//       CHECK:   %[[THREE:.*]] = arith.constant 3 : index
//       CHECK:   scf.for {{.*}} = %c-3 to %[[THREE]] step %[[THREE]]
//  CHECK-COUNT-3: memref.load
//   CHECK-NOT:   memref.load
//       CHECK:   } {tinytc.unroll = false}
//  CHECK-NEXT:   memref.load {{.*}}[%[[THREE]]]
//   CHECK-NOT:   memref.load
//       CHECK:   return
func.func @limit(%a: memref<8xf32>, %init: f32) -> f32 {
  %first = arith.constant -3 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %sum = scf.for %i = %first to %c4 step %c1 iter_args(%x = %init) -> (f32) {
    %v = memref.load %a[%i] : memref<8xf32>
    %y = arith.addf %x, %v : f32
    scf.yield %y : f32
  } {tinytc.unroll = true}
  return %sum : f32
}

// The inner loop is unrolled first and leaves no room for the outer one.
// CHECK-LABEL: @nested
//       CHECK:   scf.for
//   CHECK-NOT:   scf.for
//  CHECK-COUNT-3: memref.store
//       CHECK:   } {tinytc.unroll = false}
func.func @nested(%a: memref<3x4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %0 = memref.load %a[%j, %i] : memref<3x4xf32>
      memref.store %0, %a[%j, %i] : memref<3x4xf32>
    } {tinytc.unroll = true}
  } {tinytc.unroll = true}
  return
}

// CHECK-LABEL: @negative_unknown_count
//       CHECK:   } {tinytc.unroll = true}
func.func @negative_unknown_count(%a: memref<8xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<8xf32>
  } {tinytc.unroll = true}
  return
}

// CHECK-LABEL: @negative_no_request
//       CHECK:   scf.for
//       CHECK:   } {tinytc.unroll = false}
//       CHECK:   scf.for
//       CHECK:   return
func.func @negative_no_request(%a: memref<8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    memref.store %x, %a[%i] : memref<8xf32>
  } {tinytc.unroll = false}
  scf.for %i = %c0 to %c2 step %c1 {
    memref.store %x, %a[%i] : memref<8xf32>
  }
  return
}

// Four iterations become one, beyond the limit of ops; the seventh and the eighth are
// left over.
// CHECK-LABEL: @factor
//       CHECK:   scf.for {{.*}} = %c0{{.*}} to %c8{{.*}} step %c4
//  CHECK-COUNT-4: memref.store
//   CHECK-NOT:   memref.store
//       CHECK:   } {tinytc.unroll = false}
//  CHECK-NEXT:   scf.for {{.*}} = %c8{{.*}} to %c10
//  CHECK-NEXT:     memref.store
//       CHECK:   } {tinytc.unroll = false}
func.func @factor(%a: memref<10xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    memref.store %x, %a[%i] : memref<10xf32>
  } {tinytc.unroll = 4 : i64}
  return
}

// A loop that may run no iteration.
// CHECK-LABEL: @dynamic_factor
//  CHECK-SAME:   %[[N:[^:]*]]: index
//       CHECK:   %[[END:.*]] = arith.maxsi %[[N]], %c0
//       CHECK:   scf.for
//  CHECK-COUNT-2: memref.store
//   CHECK-NOT:   memref.store
//       CHECK:   } {tinytc.unroll = false}
//       CHECK:   scf.for {{.*}} to %[[END]] step
//       CHECK:     memref.store
//       CHECK:   } {tinytc.unroll = false}
func.func @dynamic_factor(%n: index, %a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<?xf32>
  } {tinytc.unroll = 2 : i64}
  return
}

// CHECK-LABEL: @factor_of_all
//   CHECK-NOT:   scf.for
//  CHECK-COUNT-3: memref.store
//       CHECK:   return
func.func @factor_of_all(%a: memref<3xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %x, %a[%i] : memref<3xf32>
  } {tinytc.unroll = 4 : i64}
  return
}

// CHECK-LABEL: @negative_factor_of_one
//       CHECK:   scf.for
//  CHECK-NEXT:     memref.store
//  CHECK-NEXT:   } {tinytc.unroll = false}
func.func @negative_factor_of_one(%a: memref<10xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    memref.store %x, %a[%i] : memref<10xf32>
  } {tinytc.unroll = 1 : i64}
  return
}
