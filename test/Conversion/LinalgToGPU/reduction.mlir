// RUN: tinytc-opt %s --tinytc-distribute-linalg | FileCheck %s

// A work-item sums up its tile of the destination in registers.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!private = memref<20x3xf32, #gpu.address_space<private>>
!few = memref<10x3xf32, #gpu.address_space<private>>
!some = memref<?x3xf32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "cpu",
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// Two rows and all three columns. The second row lies at the end, where it reaches back
// over rows of the first one, which it sums up again but does not write.
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
//       CHECK:   memref.store %[[SUMS]]#0, %[[C]][%[[LANE]],
//       CHECK:   memref.store %[[SUMS]]#2, %[[C]][%[[LANE]],
//       CHECK:   memref.store %[[SUMS]]#4, %[[C]][%[[LANE]],
//       CHECK:   %[[FIRST:.*]] = arith.index_cast %c16{{.*}} to i64
//       CHECK:   %[[OPAQUE:.*]], %{{.*}} = gpu.shuffle idx %[[FIRST]]
//       CHECK:   %[[INDEX:.*]] = arith.index_cast %[[OPAQUE]]
//       CHECK:   %[[OWN:.*]] = arith.cmpi sge, %[[LAST]], %[[INDEX]]
//       CHECK:   scf.if %[[OWN]] {
//  CHECK-NEXT:   memref.store %[[SUMS]]#1, %[[C]][%[[LAST]],
//  CHECK-NEXT:   memref.store %[[SUMS]]#3, %[[C]][%[[LAST]],
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

// Fewer rows than work-items: loads and stores stand under a condition, the sums do not.
// CHECK-LABEL: @few_rows
//       CHECK:   scf.for
//       CHECK:   gpu.shuffle idx
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt,
//  CHECK-NEXT:   %[[X:.*]] = scf.if %[[INSIDE]] -> (f32)
//       CHECK:   memref.load
//       CHECK:   arith.mulf %[[X]],
//   CHECK-NOT:   scf.if
//       CHECK:   scf.yield
//       CHECK:   gpu.shuffle idx
//       CHECK:   %[[WRITE:.*]] = arith.cmpi slt,
//       CHECK:   scf.if %[[WRITE]] {
//  CHECK-NEXT:   memref.store
func.func @few_rows(%a: memref<10x2xf32>, %b: memref<2x3xf32>, %c: memref<10x3xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !few
  linalg.fill ins(%zero : f32) outs(%sum : !few)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<10x2xf32>, memref<2x3xf32>) outs(%sum : !few) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !few) outs(%c : memref<10x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// An unknown number of rows: full tiles of two, then single rows, the last of which
// reaches back; where all are fewer than work-items, under conditions.
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
//       CHECK:       arith.index_cast %[[FIRST]] : index to i64
//       CHECK:       %[[OWN:.*]] = arith.cmpi sge, %[[ROW]],
//       CHECK:       scf.if %[[OWN]] {
//  CHECK-NEXT:       memref.store %{{.*}}, %[[C]][%[[ROW]],
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
