// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --convert-tinytc-to-linalg | FileCheck %s

// The lines along the mode are distributed, each is summed up by one work-item.

// The sum along mode 1 is one work-item's for each of the other indices.
// CHECK-LABEL: @cumsum
//       CHECK:   %[[M:.*]] = memref.dim %{{.*}}, %c0
//       CHECK:   %[[N:.*]] = memref.dim %{{.*}}, %c1
//       CHECK:   %[[K:.*]] = memref.dim %{{.*}}, %c2
//       CHECK:   scf.parallel (%[[I:.*]], %[[J:.*]]) = {{.*}} to (%[[M]], %[[K]])
//       CHECK:   %{{.*}} = scf.for %[[L:.*]] = %c0{{.*}} to %[[N]] {{.*}} iter_args(%[[OLD:.*]] = %cst{{.*}})
//       CHECK:   %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[L]], %[[J]]]
//       CHECK:   %[[SUM:.*]] = arith.addf %[[OLD]], %[[X]]
//       CHECK:   memref.store %[[SUM]], %{{.*}}[%[[I]], %[[L]], %[[J]]]
//       CHECK:   scf.yield %[[SUM]]
tinytc.func @cumsum(%a: !tinytc.memref<5x7x3xf32>, %b: !tinytc.memref<5x7x3xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.cumsum %one, %a, 1, %zero, %b
    : f32, !tinytc.memref<5x7x3xf32>, f32, !tinytc.memref<5x7x3xf32>
}

// CHECK-LABEL: @cumsum_of_a_vector
//       CHECK:   scf.parallel (%{{.*}}) = {{.*}} to (%c1
//       CHECK:   scf.for %[[L:.*]] = %c0
//       CHECK:   memref.load %{{.*}}[%[[L]]]
//       CHECK:   memref.store %{{.*}}[%[[L]]]
tinytc.func @cumsum_of_a_vector(%alpha: f32, %a: !tinytc.memref<5xf32>, %beta: f32,
                                %b: !tinytc.memref<5xf32>) {
  tinytc.cumsum %alpha, %a, 0, %beta, %b
    : f32, !tinytc.memref<5xf32>, f32, !tinytc.memref<5xf32>
}

// CHECK-LABEL: @cumsum_atomic
//       CHECK:   scf.for
//       CHECK:   memref.atomic_rmw addf
//   CHECK-NOT:   memref.store
tinytc.func @cumsum_atomic(%a: !tinytc.memref<5xf32>, %b: !tinytc.memref<5xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.cumsum atomic %one, %a, 0, %one, %b
    : f32, !tinytc.memref<5xf32>, f32, !tinytc.memref<5xf32>
}
