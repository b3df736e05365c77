// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// A work-item sums up its tile of the destination in registers.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!private = memref<20x3xf32, #gpu.address_space<private>>
!many = memref<40x3xf32, #gpu.address_space<private>>
!column = memref<104x1xf32, #gpu.address_space<private>>
!few = memref<10x3xf32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// Two rows and all three columns. The second row is at the end, where it overlaps
// rows of the first one: it computes the same sums again, but writes only its own rows.
// CHECK-LABEL: @matrix_product
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<20x7xf32>, %[[B:[^:]*]]: memref<7x3xf32>, %[[C:[^:]*]]: memref<20x3xf32>)
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//   CHECK-NOT:   memref.alloca
//   CHECK-NOT:   linalg
//       CHECK:   %[[LAST:.*]] = arith.addi %c4{{.*}}, %[[LANE]]
//       CHECK:   %[[SUMS:.*]]:6 = scf.for %[[K:.*]] = %c0{{.*}} to %c7{{.*}} iter_args(%[[SUM0:[^ ]*]] = %cst, {{.*}})
//  CHECK-NEXT:   %[[X:.*]] = memref.load %[[A]][%[[LANE]], %[[K]]]
//  CHECK-NEXT:   %[[Y0:.*]] = memref.load %[[B]][%[[K]],
//  CHECK-NEXT:   %[[P0:.*]] = arith.mulf %[[X]], %[[Y0]] fastmath<contract>
//  CHECK-NEXT:   %[[N0:.*]] = arith.addf %[[SUM0]], %[[P0]] fastmath<contract>
//  CHECK-NEXT:   %[[X1:.*]] = memref.load %[[A]][%[[LAST]], %[[K]]]
//  CHECK-NEXT:   %[[P1:.*]] = arith.mulf %[[X1]], %[[Y0]] fastmath<contract>
//   CHECK-NOT:   memref.load %[[A]]
//       CHECK:   scf.yield %[[N0]],
//   CHECK-NOT:   scf.if
//       CHECK:   memref.store %[[SUMS]]#0, %[[C]][%[[LANE]],
//       CHECK:   memref.store %[[SUMS]]#2, %[[C]][%[[LANE]],
//       CHECK:   memref.store %[[SUMS]]#4, %[[C]][%[[LANE]],
//       CHECK:   %[[OWN:.*]] = arith.cmpi sge, %[[LAST]],
//  CHECK-NEXT:   scf.if %[[OWN]] {
//  CHECK-NEXT:     memref.store %[[SUMS]]#1, %[[C]][%[[LAST]],
//  CHECK-NEXT:     memref.store %[[SUMS]]#3, %[[C]][%[[LAST]],
//  CHECK-NEXT:     memref.store %[[SUMS]]#5, %[[C]][%[[LAST]],
//       CHECK:   return
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

// Two subgroups do not wait for each other: each writes only its own rows.
// CHECK-LABEL: @two_subgroups
//  CHECK-SAME:   %[[C:[^:]*]]: memref<40x3xf32>)
//       CHECK:   %[[LAST:.*]] = arith.addi %c8{{.*}}, %
//       CHECK:   %[[SUMS:.*]]:6 = scf.for
//   CHECK-NOT:   gpu.barrier
//       CHECK:   %[[OWN:.*]] = arith.cmpi sge, %[[LAST]],
//       CHECK:   scf.if %[[OWN]] {
//  CHECK-NEXT:     %[[OLD:.*]] = memref.load %[[C]][%[[LAST]],
//  CHECK-NEXT:     %[[NEW:.*]] = arith.addf %[[OLD]], %[[SUMS]]#1
//  CHECK-NEXT:     memref.store %[[NEW]], %[[C]][%[[LAST]],
func.func @two_subgroups(%a: memref<40x7xf32>, %b: memref<7x3xf32>,
                         %c: memref<40x3xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 32, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !many
  linalg.fill ins(%zero : f32) outs(%sum : !many)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<40x7xf32>, memref<7x3xf32>) outs(%sum : !many) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !many) outs(%c : memref<40x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    %new = arith.addf %old, %x : f32
    linalg.yield %new : f32
  }
  return
}

// 104 rows are four tiles, a narrow one and three wide ones, the last of which overlaps another.
// CHECK-LABEL: @even_rows
//  CHECK-SAME:   %[[C:[^:]*]]: memref<104x1xf32>)
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[SUM:.*]] = scf.for %{{.*}} = %c0{{.*}} to %c7{{.*}} iter_args
//       CHECK:   memref.store %[[SUM]], %[[C]][%[[LANE]],
//       CHECK:   scf.for %[[BASE:.*]] = %c16{{.*}} to %c112{{.*}} step %c32
//       CHECK:     %[[ROW:.*]] = arith.addi %[[BASE]], %[[LANE]]
//       CHECK:     %[[FIRST:.*]] = arith.addi %[[BASE]], %c16
//       CHECK:     %[[FITS:.*]] = arith.cmpi slt, %[[FIRST]], %c88
//       CHECK:     %[[BACK:.*]] = arith.select %[[FITS]], %[[FIRST]], %c88
//       CHECK:     %[[LAST:.*]] = arith.addi %[[BACK]], %[[LANE]]
//       CHECK:     %[[SUMS:.*]]:2 = scf.for
//       CHECK:     memref.store %[[SUMS]]#0, %[[C]][%[[ROW]],
//       CHECK:     scf.if
//  CHECK-NEXT:       memref.store %[[SUMS]]#1, %[[C]][%[[LAST]],
func.func @even_rows(%a: memref<104x7xf32>, %b: memref<7x1xf32>, %c: memref<104x1xf32>)
    attributes {tinytc.subgroup_size = 16 : i32, tinytc.schedule = #tinytc.schedule<rows = 2>,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !column
  linalg.fill ins(%zero : f32) outs(%sum : !column)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<104x7xf32>, memref<7x1xf32>) outs(%sum : !column) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !column) outs(%c : memref<104x1xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}
}
