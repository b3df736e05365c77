// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Loops and conditionals become scf; loops over other types than index count iterations.

// CHECK-LABEL: @for_index
//  CHECK-SAME:   (%[[FROM:.*]]: index, %[[TO:.*]]: index)
//       CHECK:   scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
tinytc.func @for_index(%from: index, %to: index) {
  tinytc.for %i = %from, %to {
    tinytc.barrier
  }
}

// The variable is computed from the count: adding the step to it might overflow.
// CHECK-LABEL: @for_step
//  CHECK-SAME:   (%[[FROM:.*]]: i8, %[[TO:.*]]: i8, %[[STEP:.*]]: i8,
//       CHECK:   %[[EMPTY:.*]] = arith.cmpi sge, %[[FROM]], %[[TO]] : i8
//       CHECK:   %[[LAST:.*]] = arith.divui %{{.*}} : index
//       CHECK:   %[[COUNT:.*]] = arith.addi %[[LAST]], %c1
//       CHECK:   %[[TRIPS:.*]] = arith.select %[[EMPTY]], %c0{{.*}}, %[[COUNT]]
//       CHECK:   scf.for %[[N:.*]] = %c0{{.*}} to %[[TRIPS]] step %c1
//       CHECK:   %[[NARROW:.*]] = arith.trunci %{{.*}} : i64 to i8
//       CHECK:   %[[DISTANCE:.*]] = arith.muli %[[NARROW]], %[[STEP]] : i8
//       CHECK:   %[[I:.*]] = arith.addi %[[FROM]], %[[DISTANCE]] : i8
//       CHECK:   memref.store %[[I]]
tinytc.func @for_step(%from: i8, %to: i8, %step: i8, %a: !tinytc.memref<i8>) {
  tinytc.for %i : i8 = %from, %to, %step {
    tinytc.store %i, %a[] : i8, !tinytc.memref<i8>
  }
}

// CHECK-LABEL: @for_carried
//  CHECK-SAME:   (%{{.*}}: index, %{{.*}}: index, %[[X:.*]]: f32, %[[B:.*]]: i1,
//       CHECK:   %[[RESULTS:.*]]:2 = scf.for {{.*}} iter_args(%[[Y:.*]] = %[[X]], %[[C:.*]] = %[[B]]) -> (f32, i1)
//       CHECK:   %[[SUM:.*]] = arith.addf %[[Y]], %[[X]]
//       CHECK:   %[[NOT:.*]] = arith.xori %[[C]]
//       CHECK:   scf.yield %[[SUM]], %[[NOT]] : f32, i1
//       CHECK:   memref.store %[[RESULTS]]#0
tinytc.func @for_carried(%from: index, %to: index, %x: f32, %b: i1,
                         %a: !tinytc.memref<f32>) {
  %0, %1 = tinytc.for %i = %from, %to init(%y = %x, %c = %b) -> (f32, i1) {
    %2 = tinytc.arith.add %y, %x : f32
    %3 = tinytc.arith.not %c : i1
    tinytc.yield %2, %3 : f32, i1
  }
  tinytc.store %0, %a[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @for_unroll
//       CHECK:   scf.for
//       CHECK:   } {tinytc.unroll = true}
tinytc.func @for_unroll(%from: index, %to: index) {
  tinytc.for %i = %from, %to {
    tinytc.barrier
  } {unroll = true}
}

// CHECK-LABEL: @if_with_results
//  CHECK-SAME:   (%[[CONDITION:.*]]: i1, %[[X:.*]]: f32,
//       CHECK:   %[[RESULT:.*]] = scf.if %[[CONDITION]] -> (f32) {
//  CHECK-NEXT:   %[[NEG:.*]] = arith.negf %[[X]]
//  CHECK-NEXT:   scf.yield %[[NEG]]
//  CHECK-NEXT:   } else {
//  CHECK-NEXT:   scf.yield %[[X]]
//       CHECK:   memref.store %[[RESULT]]
tinytc.func @if_with_results(%condition: i1, %x: f32, %a: !tinytc.memref<f32>) {
  %0 = tinytc.if %condition -> (f32) {
    %1 = tinytc.arith.neg %x : f32
    tinytc.yield %1 : f32
  } else {
    tinytc.yield %x : f32
  }
  tinytc.store %0, %a[] : f32, !tinytc.memref<f32>
}

// Numbers near the end of their type's range: the loop counts.
// CHECK-LABEL: @foreach
//  CHECK-SAME:   (%[[FROM:.*]]: index, %[[TO:.*]]: index,
//       CHECK:   arith.cmpi sge, %[[FROM]], %[[TO]] : index
//       CHECK:   arith.subi %[[TO]], %[[FROM]] : index
//       CHECK:   scf.forall (%[[N:.*]], %[[M:.*]]) in (
//  CHECK-NEXT:   %[[I:.*]] = arith.addi %[[FROM]], %[[N]] : index
//  CHECK-NEXT:   %[[J:.*]] = arith.addi %[[FROM]], %[[M]] : index
//  CHECK-NEXT:   memref.store %{{.*}}[%[[I]], %[[J]]]
tinytc.func @foreach(%m: index, %n: index, %x: f32, %a: !tinytc.memref<8x8xf32>) {
  tinytc.foreach (%i, %j) = (%m, %m), (%n, %n) {
    tinytc.store %x, %a[%i, %j] : f32, !tinytc.memref<8x8xf32>
  }
}

// CHECK-LABEL: @foreach_i16
//       CHECK:   scf.forall (%[[N:.*]]) =
//       CHECK:   %[[LONG:.*]] = arith.index_cast %[[N]] : index to i64
//       CHECK:   %[[I:.*]] = arith.trunci %[[LONG]] : i64 to i16
//       CHECK:   tinytc.atomic store device relaxed %{{.*}}[], %[[I]]
tinytc.func @foreach_i16(%m: i16, %n: i16, %a: !tinytc.memref<i16>) {
  tinytc.foreach (%i) : i16 = (%m), (%n) {
    tinytc.store atomic %i, %a[] : i16, !tinytc.memref<i16>
  }
}

// Code around linalg ops and scf.forall runs on every work-item.
// CHECK-LABEL: @parallel
//   CHECK-NOT:   scf.
//       CHECK:   memref.store
tinytc.func @parallel(%x: f32, %a: !tinytc.memref<f32>) {
  tinytc.parallel {
    tinytc.store %x, %a[] : f32, !tinytc.memref<f32>
  }
}
