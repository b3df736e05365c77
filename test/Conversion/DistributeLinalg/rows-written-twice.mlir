// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// Where a masked store is slow, rows of overlapping tiles are written twice.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!few = memref<20x3xf32, #gpu.address_space<private>>
!twice = memref<20x?xf32, #gpu.address_space<private>>
!parts = memref<7x?xcomplex<f32>, #gpu.address_space<private>>
!wide = memref<7x?xcomplex<f32>, strided<[1, 7]>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [8, 16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {

// Two rows and all three columns. The second row is at the end, where it overlaps
// rows of the first one: it computes and writes the same sums again.
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
//  CHECK-NEXT:   memref.store %[[SUMS]]#1, %[[C]][%[[LAST]],
//  CHECK-NEXT:   memref.store %[[SUMS]]#3, %[[C]][%[[LAST]],
//  CHECK-NEXT:   memref.store %[[SUMS]]#5, %[[C]][%[[LAST]],
//   CHECK-NOT:   scf.if
//       CHECK:   return
func.func @matrix_product(%a: memref<20x7xf32>, %b: memref<7x3xf32>,
                          %c: memref<20x3xf32>)
    attributes {tinytc.subgroup_size = 16 : i32, tinytc.schedule = #tinytc.schedule<rows = 2, columns = 3, unroll = 1>,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !few
  linalg.fill ins(%zero : f32) outs(%sum : !few)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x7xf32>, memref<7x3xf32>) outs(%sum : !few) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !few) outs(%c : memref<20x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// Overlapping columns in overlapping rows: what the tile before wrote is read after all lanes
// have written it, and no lane writes before all have read.
// CHECK-LABEL: @unknown_columns_twice
//  CHECK-SAME:   %[[C:[^:]*]]: memref<20x?xf32>, %[[N:[^:]*]]: index)
//       CHECK:   %[[COLUMN:.*]] = arith.select
//       CHECK:   %[[OWN:.*]] = arith.cmpi sge, %[[COLUMN]], %{{.*}}
//   CHECK-NOT:   memref.load %[[C]]
//       CHECK:   gpu.barrier
//   CHECK-NOT:   gpu.barrier
// CHECK-COUNT-6: memref.load %[[C]]
//   CHECK-NOT:   memref.{{load|store}}
//       CHECK:   gpu.barrier
//   CHECK-NOT:   memref.load
// CHECK-COUNT-6: memref.store %{{.*}}, %[[C]]
//       CHECK:   } else {
// Fewer columns than a tile has overlap nothing.
//       CHECK:     scf.for
//   CHECK-NOT:     gpu.barrier
// CHECK-COUNT-2:   memref.load %[[C]]
//       CHECK:     gpu.barrier
// CHECK-COUNT-2:   memref.store %{{.*}}, %[[C]]
func.func @unknown_columns_twice(%a: memref<20x1xf32>, %b: memref<1x?xf32>,
                                 %c: memref<20x?xf32>, %n: index)
    attributes {tinytc.subgroup_size = 16 : i32, tinytc.schedule = #tinytc.schedule<rows = 2, columns = 3, unroll = 1>,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca(%n) : !twice
  linalg.fill ins(%zero : f32) outs(%sum : !twice)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x1xf32>, memref<1x?xf32>) outs(%sum : !twice) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !twice) outs(%c : memref<20x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %new = arith.addf %old, %x : f32
    linalg.yield %new : f32
  }
  return
}

// Overlapping rows and columns: what the tile before wrote is read after all lanes have
// written it, and no lane writes before all have read.
// CHECK-LABEL: @complex_written_twice
//       CHECK:   %[[C_PARTS:.*]] = tinytc.complex_parts %{{.*}} : memref<7x?xcomplex<f32>, strided<[1, 7]>>
//       CHECK:   scf.if
//       CHECK:     scf.for
//   CHECK-NOT:       memref.load %[[C_PARTS]]
//       CHECK:       gpu.barrier
//   CHECK-NOT:       gpu.barrier
// CHECK-COUNT-4:     memref.load %[[C_PARTS]]
//   CHECK-NOT:       memref.{{load|store}}
//       CHECK:       gpu.barrier
//   CHECK-NOT:       memref.load
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[C_PARTS]]
//       CHECK:   } else {
//   CHECK-NOT:     gpu.barrier
// CHECK-COUNT-2:   memref.load %[[C_PARTS]]
//       CHECK:     gpu.barrier
// CHECK-COUNT-2:   memref.store %{{.*}}, %[[C_PARTS]]
func.func @complex_written_twice(%a: memref<7x1xcomplex<f32>>, %b: memref<1x?xcomplex<f32>>,
                         %c: !wide, %n: index)
    attributes {tinytc.subgroup_size = 8 : i32, tinytc.schedule = #tinytc.schedule<columns = 4>,
                tinytc.work_group_size = array<i32: 8, 1>} {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %sum = memref.alloca(%n) : !parts
  linalg.fill ins(%zero : complex<f32>) outs(%sum : !parts)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<7x1xcomplex<f32>>, memref<1x?xcomplex<f32>>) outs(%sum : !parts) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %old: complex<f32>):
    %product = complex.mul %x, %y fastmath<contract> : complex<f32>
    %next = complex.add %old, %product fastmath<contract> : complex<f32>
    linalg.yield %next : complex<f32>
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !parts) outs(%c : !wide) {
  ^bb0(%x: complex<f32>, %old: complex<f32>):
    %next = complex.add %x, %old : complex<f32>
    linalg.yield %next : complex<f32>
  }
  return
}
}
