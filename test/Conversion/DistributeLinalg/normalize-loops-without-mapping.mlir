// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-normalize-linalg --canonicalize | FileCheck %s

// A loop without a mapping gets one, so that the canonicalizer keeps its single iteration.
// CHECK-LABEL: @single_iteration
//       CHECK:   scf.forall
//       CHECK:     memref.store
//       CHECK:   mapping = [#tinytc.work_item<0>]
func.func @single_iteration(%a: memref<4xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  scf.forall (%i) in (1) {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  return
}

// The distribution knows steps of 1 only.
// CHECK-LABEL: @steps
//       CHECK:   scf.forall (%[[I:.*]], %[[J:.*]]) in (%{{.*}}, %{{.*}})
//       CHECK:     %[[ROW:.*]] = affine.apply
//       CHECK:     memref.store %{{.*}}, %{{.*}}[%[[ROW]], %{{.*}}]
//       CHECK:   mapping = [#tinytc.work_item<0>, #tinytc.work_item<1>]
func.func @steps(%a: memref<?x?xf32>, %x: f32, %from: index, %to: index, %by: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %one = arith.constant 1 : index
  scf.parallel (%i, %j) = (%from, %from) to (%to, %to) step (%by, %one) {
    memref.store %x, %a[%i, %j] : memref<?x?xf32>
  }
  return
}

// What the program chose for a loop stays with it.
// CHECK-LABEL: @strategy
//       CHECK:   mapping = [#tinytc.work_item<0>], tinytc.strategy = #tinytc.strategy<kind = work_items>
func.func @strategy(%a: memref<?xf32>, %x: f32, %to: index, %by: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %from = arith.constant 0 : index
  scf.forall (%i) = (%from) to (%to) step (%by) {
    memref.store %x, %a[%i] : memref<?xf32>
  } {mapping = [#tinytc.work_item<0>], tinytc.strategy = #tinytc.strategy<kind = work_items>}
  return
}
