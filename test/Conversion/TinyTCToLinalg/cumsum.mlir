// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   --tinytc-convert-to-linalg | FileCheck %s

// The sum along mode 1 is computed by one work-item for each of the other indices.
// CHECK-LABEL: @cumsum
//       CHECK:   %[[M:.*]] = memref.dim %{{.*}}, %c0
//       CHECK:   %[[N:.*]] = memref.dim %{{.*}}, %c1
//       CHECK:   %[[K:.*]] = memref.dim %{{.*}}, %c2
//       CHECK:   scf.forall (%[[I:.*]], %[[J:.*]]) in (%[[M]], %[[K]])
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

// The sum along mode 0 is computed by a subgroup: a scan of each block, then one of the rest.
// CHECK-LABEL: @cumsum_of_a_vector
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[SUBGROUP:.*]] = gpu.subgroup_id
//       CHECK:   %[[COUNT:.*]] = gpu.num_subgroups
//       CHECK:   scf.for %{{.*}} = %[[SUBGROUP]] to %c1{{.*}} step %[[COUNT]]
//       CHECK:   %[[CARRY:.*]] = scf.for %[[BASE:.*]] = %c0{{.*}} step %c16{{.*}} iter_args(%[[OLD:.*]] = %cst
//       CHECK:   %[[L:.*]] = arith.addi %[[BASE]], %[[LANE]]
//       CHECK:   memref.load %{{.*}}[%[[L]]]
//       CHECK:   gpu.shuffle up
//       CHECK:   memref.store %{{.*}}[%[[L]]]
//       CHECK:   %[[LAST:.*]] = gpu.subgroup_broadcast
//       CHECK:   scf.yield %[[LAST]]
//  CHECK-NEXT:   } {tinytc.unroll = false}
//       CHECK:   scf.if
//       CHECK:   gpu.shuffle up
//       CHECK:   scf.if
//       CHECK:   memref.store
tinytc.func @cumsum_of_a_vector(%alpha: f32, %a: !tinytc.memref<5xf32>, %beta: f32,
                                %b: !tinytc.memref<5xf32>) {
  tinytc.cumsum %alpha, %a, 0, %beta, %b
    : f32, !tinytc.memref<5xf32>, f32, !tinytc.memref<5xf32>
}

// Modes before that of the sum are one where they are contiguous, on CPUs.
// CHECK-LABEL: @cumsum_of_the_last_mode
//       CHECK:   %[[A:.*]] = memref.reinterpret_cast {{.*}} sizes: [35, 3], strides: [1, 35]
//       CHECK:   %[[B:.*]] = memref.reinterpret_cast {{.*}} sizes: [35, 3], strides: [1, 35]
//       CHECK:   scf.forall (%[[I:.*]]) in
//       CHECK:   scf.for %[[L:[^ ]*]] = %c0
//       CHECK:   memref.load %[[A]][%[[I]], %[[L]]]
//       CHECK:   memref.store %{{.*}}, %[[B]][%[[I]], %[[L]]]
tinytc.func @cumsum_of_the_last_mode(%a: !tinytc.memref<5x7x3xf32>,
                                     %b: !tinytc.memref<5x7x3xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.cumsum %one, %a, 2, %zero, %b
    : f32, !tinytc.memref<5x7x3xf32>, f32, !tinytc.memref<5x7x3xf32>
}
