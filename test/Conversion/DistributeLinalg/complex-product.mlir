// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// Neighbouring lanes hold the parts of a row.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#km = affine_map<(d0, d1, d2) -> (d2, d0)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!private = memref<4x1xcomplex<f32>, #gpu.address_space<private>>
!a = memref<4x3xcomplex<f32>, strided<[1, 7], offset: 5>>
!at = memref<3x4xcomplex<f32>>
!b = memref<3x1xcomplex<f32>>
!c = memref<4x1xcomplex<f32>, strided<[1, 9]>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [8], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// CHECK-LABEL: @product
//  CHECK-SAME:   (%[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]: {{.*}}, %[[C:[^:]*]]: {{.*}})
//       CHECK:   %[[A_PARTS:.*]] = tinytc.complex_parts %[[A]] :
//       CHECK:   %[[C_PARTS:.*]] = tinytc.complex_parts %[[C]] :
//       CHECK:   %[[IS_IMAGINARY:.*]] = arith.cmpi ne
//       CHECK:   %[[SUMS:.*]]:2 = scf.for %[[K:.*]] = {{.*}} iter_args(%[[RE:[^ ]*]] = {{[^,]*}}, %[[IM:[^ ]*]] =
//  CHECK-NEXT:     %[[PART:.*]] = memref.load %[[A_PARTS]][%[[ROW:.*]], %[[K]]] : memref<8x3xf32, strided<[1, 14], offset: 10>>
//  CHECK-NEXT:     %[[Y:.*]] = memref.load %[[B]][%[[K]],
//  CHECK-NEXT:     %[[Y_RE:.*]] = complex.re %[[Y]]
//  CHECK-NEXT:     %[[Y_IM:.*]] = complex.im %[[Y]]
//  CHECK-NEXT:     %[[P:.*]] = arith.mulf %[[PART]], %[[Y_RE]] fastmath<contract>
//  CHECK-NEXT:     %[[S:.*]] = arith.addf %[[RE]], %[[P]] fastmath<contract>
//  CHECK-NEXT:     %[[Q:.*]] = arith.mulf %[[PART]], %[[Y_IM]] fastmath<contract>
//  CHECK-NEXT:     %[[T:.*]] = arith.addf %[[IM]], %[[Q]] fastmath<contract>
//  CHECK-NEXT:     scf.yield %[[S]], %[[T]]
//       CHECK:   %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[SUMS]]#1
//       CHECK:   %[[DIFFERENCE:.*]] = arith.subf %[[SUMS]]#0, %[[OTHER]]
//       CHECK:   %[[SUM:.*]] = arith.addf %[[SUMS]]#0, %[[OTHER]]
//       CHECK:   arith.select %[[IS_IMAGINARY]], %[[SUM]], %[[DIFFERENCE]]
//       CHECK:   complex.create
// The old value is read, and the new one written, by parts.
//       CHECK:   memref.load %[[C_PARTS]][%[[ROW]], {{.*}} : memref<8x1xf32, strided<[1, 18]>>
//       CHECK:   gpu.shuffle xor
//       CHECK:   complex.create
//       CHECK:   complex.add
//   CHECK-NOT:   %[[C]][
//       CHECK:   memref.store %{{.*}}, %[[C_PARTS]][%[[ROW]],
//   CHECK-NOT:   linalg
func.func @product(%a: !a, %b: !b, %c: !c)
    attributes {tinytc.subgroup_size = 8 : i32,
                tinytc.work_group_size = array<i32: 8, 1>} {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %sum = memref.alloca() : !private
  linalg.fill ins(%zero : complex<f32>) outs(%sum : !private)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : !a, !b) outs(%sum : !private) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %old: complex<f32>):
    %product = complex.mul %x, %y fastmath<contract> : complex<f32>
    %next = complex.add %old, %product fastmath<contract> : complex<f32>
    linalg.yield %next : complex<f32>
  }
  linalg.generic {indexing_maps = [#id2, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sum : !private) outs(%c : !c) {
  ^bb0(%x: complex<f32>, %old: complex<f32>):
    %next = complex.add %x, %old : complex<f32>
    linalg.yield %next : complex<f32>
  }
  return
}
}
