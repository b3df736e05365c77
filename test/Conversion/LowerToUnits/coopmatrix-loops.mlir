// RUN: tinytc-opt %s --tinytc-attach-target=target=cpu \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Products of more than 512 multiply-adds in a work-item are loops over private memory.

!a = !tinytc.coopmatrix<32x36xf32, matrix_a>
!b = !tinytc.coopmatrix<36x10xf32, matrix_b>
!c = !tinytc.coopmatrix<32x10xf32, matrix_acc>

// Eight columns and two blocks of rows are sums in registers; two columns are left over. The
// blocks of 16 rows of B are a loop, the last four rows come after it.
// CHECK-LABEL: @large
//   CHECK-DAG:   %[[A:.*]] = memref.alloca() : memref<72xf32, #gpu.address_space<private>>
//   CHECK-DAG:   %[[B:.*]] = memref.alloca() : memref<30xf32, #gpu.address_space<private>>
//   CHECK-DAG:   %[[C:.*]] = memref.alloca() : memref<20xf32, #gpu.address_space<private>>
//       CHECK:   scf.for %[[FIRST:.*]] = %c0{{.*}} to %c8{{.*}} step %c8
// CHECK-COUNT-16:    memref.load %[[C]]
//       CHECK:     :16 = scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK-COUNT-8:       memref.load %[[B]]
//       CHECK:       :16 = scf.for %[[LANE:.*]] = %c0{{.*}} to %c16{{.*}} step %c4
// CHECK-COUNT-2:         memref.load %[[A]]
//       CHECK:         %[[SOURCE:.*]] = arith.index_cast %[[LANE]]
//       CHECK:         gpu.subgroup_broadcast %{{.*}}, {{ *}}specific_lane %[[SOURCE]]
// CHECK-COUNT-64:        arith.addf
//   CHECK-NOT:         arith.addf
//       CHECK:         scf.yield
//       CHECK:       } {tinytc.unroll = false}
//       CHECK:     :16 = scf.for %{{.*}} = %c0{{.*}} to %c4{{.*}} step %c4
// CHECK-COUNT-16:    memref.store %{{.*}}, %[[C]]
//       CHECK:   scf.for %{{.*}} = %c8{{.*}} to %c10{{.*}} step %c2
tinytc.func @large(%a: !tinytc.memref<?x?xf32>) attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %x = tinytc.constant 0 : index
    %0 = tinytc.cooperative_matrix_load n %a[%x, %x] : !tinytc.memref<?x?xf32> -> !a
    %1 = tinytc.cooperative_matrix_load n %a[%x, %x] : !tinytc.memref<?x?xf32> -> !b
    %2 = tinytc.cooperative_matrix_load n %a[%x, %x] : !tinytc.memref<?x?xf32> -> !c
    %3 = tinytc.cooperative_matrix_mul_add %0, %1, %2 : !a, !b, !c -> !c
    tinytc.cooperative_matrix_store %3, %a[%x, %x] : !c, !tinytc.memref<?x?xf32>
  }
}

!ca = !tinytc.coopmatrix<16x32xcomplex<f32>, matrix_a>
!cb = !tinytc.coopmatrix<32x17xcomplex<f32>, matrix_b>
!cc = !tinytc.coopmatrix<16x17xcomplex<f32>, matrix_acc>

// Complex numbers are stored by parts.
// CHECK-LABEL: @complex
//   CHECK-DAG:   memref.alloca() : memref<64xf32, #gpu.address_space<private>>
//   CHECK-DAG:   memref.alloca() : memref<68xf32, #gpu.address_space<private>>
//   CHECK-DAG:   memref.alloca() : memref<34xf32, #gpu.address_space<private>>
tinytc.func @complex(%a: !tinytc.memref<?x?xcomplex<f32>>)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %x = tinytc.constant 0 : index
    %0 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<?x?xcomplex<f32>> -> !ca
    %1 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<?x?xcomplex<f32>> -> !cb
    %2 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<?x?xcomplex<f32>> -> !cc
    %3 = tinytc.cooperative_matrix_mul_add %0, %1, %2 : !ca, !cb, !cc -> !cc
    tinytc.cooperative_matrix_store %3, %a[%x, %x] : !cc, !tinytc.memref<?x?xcomplex<f32>>
  }
}
