// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// Tiles of destinations whose sizes are known at run time only.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!wide = memref<16x?xf32, #gpu.address_space<private>>
!some = memref<?x3xf32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// An unknown number of columns: the last tile of three overlaps another and writes again what
// that has written; fewer than three columns go one by one. A sum of unknown length
// goes in steps of two, then of one.
// CHECK-LABEL: @unknown_columns
//  CHECK-SAME:   %[[C:[^:]*]]: memref<16x?xf32>, %[[N:[^:]*]]: index)
//       CHECK:   %[[WIDE:.*]] = arith.cmpi sge, %[[END:.*]], %c3
//       CHECK:   scf.if %[[WIDE]] {
//       CHECK:     %[[LAST:.*]] = arith.subi %[[END]], %c3
//       CHECK:     scf.for
//       CHECK:       %[[FIRST:.*]] = arith.muli
//       CHECK:       %[[FITS:.*]] = arith.cmpi slt, %[[FIRST]], %[[LAST]]
//       CHECK:       %[[COLUMN:.*]] = arith.select %[[FITS]], %[[FIRST]], %[[LAST]]
//       CHECK:       :3 = scf.for %{{.*}} to %{{.*}} step %c2
//       CHECK:       %[[SUMS:.*]]:3 = scf.for %{{.*}} to %{{.*}} step %c1
//       CHECK:       %[[OWN:.*]] = arith.cmpi sge, %[[COLUMN]], %[[FIRST]]
//       CHECK:       %[[OLD:.*]] = memref.load %[[C]][%{{.*}}, %[[COLUMN]]]
//  CHECK-NEXT:       %[[NEW:.*]] = arith.addf %[[OLD]], %[[SUMS]]#0
//  CHECK-NEXT:       %[[KEPT:.*]] = arith.select %[[OWN]], %[[NEW]], %[[OLD]]
//  CHECK-NEXT:       memref.store %[[KEPT]], %[[C]][%{{.*}}, %[[COLUMN]]]
//       CHECK:   } else {
//       CHECK:     scf.for
//       CHECK:       scf.for %{{.*}} to %{{.*}} step %c1
//   CHECK-NOT:       scf.for
//       CHECK:       memref.store
func.func @unknown_columns(%a: memref<16x?xf32>, %b: memref<?x?xf32>,
                           %c: memref<16x?xf32>, %n: index)
    attributes {tinytc.subgroup_size = 16 : i32, tinytc.schedule = #tinytc.schedule<columns = 3, unroll = 2>,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca(%n) : !wide
  linalg.fill ins(%zero : f32) outs(%sum : !wide)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x?xf32>, memref<?x?xf32>) outs(%sum : !wide) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !wide) outs(%c : memref<16x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %new = arith.addf %old, %x : f32
    linalg.yield %new : f32
  }
  return
}

// An unknown number of rows: full tiles of two, then single rows, the last of which reaches
// back; with fewer rows than work-items, everything is conditional.
// CHECK-LABEL: @unknown_rows
//  CHECK-SAME:   (%{{[^:]*}}: memref<?x2xf32>, %{{[^:]*}}: memref<2x3xf32>, %[[C:[^:]*]]: memref<?x3xf32>, %[[M:[^:]*]]: index)
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[TILED:.*]] = arith.muli
//       CHECK:   scf.for %{{.*}} = %c0{{.*}} to %[[TILED]] step %c32
//       CHECK:     :6 = scf.for
//       CHECK:   %[[WIDE:.*]] = arith.cmpi sge, %[[END:.*]], %c16
//       CHECK:   scf.if %[[WIDE]] {
//       CHECK:     %[[LAST:.*]] = arith.subi %[[END]], %c16
//       CHECK:     scf.for %[[FIRST:.*]] = %[[TILED]] to %[[END]] step %c16
//       CHECK:       %[[FITS:.*]] = arith.cmpi slt, %[[FIRST]], %[[LAST]]
//       CHECK:       %[[BASE:.*]] = arith.select %[[FITS]], %[[FIRST]], %[[LAST]]
//       CHECK:       %[[ROW:.*]] = arith.addi %[[BASE]], %[[LANE]]
//       CHECK:       :3 = scf.for
//   CHECK-NOT:         scf.if
//       CHECK:         scf.yield
//       CHECK:       %[[OWN:.*]] = arith.cmpi sge, %[[ROW]],
//  CHECK-NEXT:       scf.if %[[OWN]] {
//  CHECK-NEXT:         memref.store %{{.*}}, %[[C]][%[[ROW]],
//       CHECK:   } else {
//       CHECK:     scf.for
//       CHECK:       scf.if %{{.*}} -> (f32)
func.func @unknown_rows(%a: memref<?x2xf32>, %b: memref<2x3xf32>, %c: memref<?x3xf32>,
                        %m: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca(%m) : !some
  linalg.fill ins(%zero : f32) outs(%sum : !some)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x2xf32>, memref<2x3xf32>) outs(%sum : !some) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !some) outs(%c : memref<?x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}
}
