// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    vector_bytes = 64, f64 = true>} {

// A work-item walks through three lines at once; the last lines overlap others, and are read
// and written only where no other work-item has them.
// CHECK-LABEL: @running_sums
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<40x7xf32>, %[[B:[^:]*]]: memref<40x7xf32>)
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//   CHECK-NOT:   scf.forall
//       CHECK:   scf.for %[[K:.*]] = {{.*}} iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[S2:.*]] = %
//       CHECK:     memref.load %[[A]][%[[LANE]], %[[K]]]
//       CHECK:     memref.load %[[A]]
//       CHECK:     scf.if
//       CHECK:       memref.load %[[A]]
//       CHECK:     %[[N0:.*]] = arith.addf %[[S0]]
//       CHECK:     %[[N1:.*]] = arith.addf %[[S1]]
//       CHECK:     %[[N2:.*]] = arith.addf %[[S2]]
//       CHECK:     memref.store %[[N0]], %[[B]][%[[LANE]], %[[K]]]
//       CHECK:     memref.store %[[N1]], %[[B]]
//       CHECK:     scf.if
//  CHECK-NEXT:       memref.store %[[N2]], %[[B]]
//       CHECK:     scf.yield %[[N0]], %[[N1]], %[[N2]]
//       CHECK:   } {tinytc.unroll = false}
func.func @running_sums(%a: memref<40x7xf32>, %b: memref<40x7xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (40) {
    scf.for %k = %c0 to %c7 step %c1 iter_args(%sum = %zero) -> f32 {
      %x = memref.load %a[%i, %k] : memref<40x7xf32>
      %next = arith.addf %sum, %x : f32
      memref.store %next, %b[%i, %k] : memref<40x7xf32>
      scf.yield %next : f32
    }
  }
  return
}

// With fewer lines than work-items, both loads and stores are conditional.
// CHECK-LABEL: @few_lines
//       CHECK:   scf.for
//       CHECK:     scf.if
//       CHECK:       memref.load
//       CHECK:     scf.if
//  CHECK-NEXT:       memref.store
func.func @few_lines(%a: memref<5x7xf32>, %b: memref<5x7xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (5) {
    scf.for %k = %c0 to %c7 step %c1 iter_args(%sum = %zero) -> f32 {
      %x = memref.load %a[%i, %k] : memref<5x7xf32>
      %next = arith.addf %sum, %x : f32
      memref.store %next, %b[%i, %k] : memref<5x7xf32>
      scf.yield %next : f32
    }
  }
  return
}

// What follows the loop needs its result: every iteration is a loop of its own.
// CHECK-LABEL: @negative_result_is_used
//       CHECK:   %[[SUM:.*]] = scf.for {{.*}} -> (f32)
//       CHECK:   memref.store %[[SUM]]
func.func @negative_result_is_used(%a: memref<40x7xf32>, %b: memref<40xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (40) {
    %total = scf.for %k = %c0 to %c7 step %c1 iter_args(%sum = %zero) -> f32 {
      %x = memref.load %a[%i, %k] : memref<40x7xf32>
      %next = arith.addf %sum, %x : f32
      scf.yield %next : f32
    }
    memref.store %total, %b[%i] : memref<40xf32>
  }
  return
}

}
