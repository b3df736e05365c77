// RUN: tinytc-opt %s --pass-pipeline='builtin.module(func.func(tinytc-convert-counting-loops))' | FileCheck %s

// CHECK-LABEL: func.func @sum(
//  CHECK-SAME:   %[[N:.*]]: index, %[[X:.*]]: f32)
//   CHECK-DAG:   %[[LOWER:.*]] = arith.constant 2 : index
//   CHECK-DAG:   %[[STEP:.*]] = arith.constant 3 : index
//       CHECK:   %[[RESULT:.*]]:2 = scf.while (%[[I:.*]] = %[[LOWER]], %[[S:.*]] = %[[X]]) : (index, f32) -> (index, f32) {
//       CHECK:     %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[N]] : index
//       CHECK:     scf.condition(%[[INSIDE]]) %[[I]], %[[S]] : index, f32
//       CHECK:   ^bb0(%[[J:.*]]: index, %[[OLD:.*]]: f32):
//       CHECK:     %[[NEXT:.*]] = arith.addi %[[J]], %[[STEP]] : index
//       CHECK:     %[[NEW:.*]] = arith.addf %[[OLD]], %[[X]] : f32
//       CHECK:     scf.yield %[[NEXT]], %[[NEW]] : index, f32
//       CHECK:   } attributes {tinytc.unroll = false}
//       CHECK:   return %[[RESULT]]#1 : f32
func.func @sum(%n: index, %x: f32) -> f32 {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %sum = scf.for %i = %c2 to %n step %c3 iter_args(%old = %x) -> f32 {
    %new = arith.addf %old, %x : f32
    scf.yield %new : f32
  } {tinytc.unroll = false}
  return %sum : f32
}

// An unsigned comparison stays one; loops in loops are converted too.
// CHECK-LABEL: func.func @nested(
//   CHECK-NOT:   scf.for
//       CHECK:   scf.while
//       CHECK:     arith.cmpi ult, {{.*}} : i32
//       CHECK:     scf.while
//       CHECK:       arith.cmpi slt, {{.*}} : i32
//       CHECK:       memref.store
//   CHECK-NOT:   scf.for
//       CHECK:   return
func.func @nested(%n: i32, %A: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %i to %n step %c1 : i32 {
      memref.store %j, %A[%zero] : memref<1xi32>
    }
  }
  return
}
