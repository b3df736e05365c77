// RUN: tinytc-opt %s --tinytc-distribute-linalg | FileCheck %s

// A work-item sums up its tile of the destination in registers.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!private = memref<20x3xf32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "cpu",
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// One row and all three columns; rows beyond the 16th behind a condition.
// CHECK-LABEL: @matrix_product
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<20x7xf32>, %[[B:[^:]*]]: memref<7x3xf32>, %[[C:[^:]*]]: memref<20x3xf32>)
//       CHECK:   %[[LANE:.*]] = gpu.thread_id {{ *}}x
//   CHECK-NOT:   memref.alloca
//   CHECK-NOT:   linalg
//       CHECK:   %[[SUMS:.*]]:3 = scf.for %[[K:.*]] = %c0{{.*}} to %c7{{.*}} iter_args(%[[SUM0:.*]] = %cst, %[[SUM1:.*]] = %cst, %[[SUM2:.*]] = %cst)
//  CHECK-NEXT:   %[[X:.*]] = memref.load %[[A]][%[[LANE]], %[[K]]]
//  CHECK-NEXT:   %[[Y0:.*]] = memref.load %[[B]][%[[K]],
//  CHECK-NEXT:   %[[P0:.*]] = arith.mulf %[[X]], %[[Y0]] fastmath<contract>
//  CHECK-NEXT:   %[[N0:.*]] = arith.addf %[[SUM0]], %[[P0]] fastmath<contract>
//   CHECK-NOT:   memref.load %[[A]]
//       CHECK:   scf.yield %[[N0]],
//       CHECK:   memref.store %[[SUMS]]#0, %[[C]][%[[LANE]],
//       CHECK:   memref.store %[[SUMS]]#1, %[[C]][%[[LANE]],
//       CHECK:   memref.store %[[SUMS]]#2, %[[C]][%[[LANE]],
//       CHECK:   %[[REST:.*]] = arith.addi %c16{{.*}}, %[[LANE]]
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[REST]], %c20
//       CHECK:   scf.if %[[INSIDE]] {
//       CHECK:   memref.load %[[A]][%[[REST]],
func.func @matrix_product(%a: memref<20x7xf32>, %b: memref<7x3xf32>,
                          %c: memref<20x3xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !private
  linalg.fill ins(%zero : f32) outs(%sum : !private)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x7xf32>, memref<7x3xf32>) outs(%sum : !private) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !private) outs(%c : memref<20x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}
}
