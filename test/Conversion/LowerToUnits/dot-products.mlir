// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v3 \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=aarch64 \
// RUN:   --tinytc-choose-work-group-size --verify-diagnostics=only-expected \
// RUN:   --tinytc-convert-to-linalg

!a = !tinytc.memref<20x9xi8>
!b = !tinytc.memref<9x7xi8>
!c = !tinytc.memref<20x7xi32>

// Numbers across lines are put together, the last one alone; those along lines are
// copied, with a 0 at the end. Steps of the sum are words.
// CHECK-LABEL: @given
//       CHECK:   gpu.barrier
//       CHECK:   scf.forall (%[[ROW:.*]], %[[STEP:.*]]) in (%{{.*}}, %{{.*}}) {
//       CHECK:     %[[FIRST:.*]] = arith.muli %[[STEP]], %{{.*}} : index
//       CHECK:     memref.load %{{.*}}[%[[ROW]], %[[FIRST]]]
//       CHECK:     arith.extsi %{{.*}} : i8 to i16
//       CHECK:     arith.extui %{{.*}} : i16 to i32
//       CHECK:     memref.load
//       CHECK:     arith.shli
//       CHECK:     %[[WORD:.*]] = arith.ori
//       CHECK:     memref.store %[[WORD]], %{{.*}}[%[[ROW]], %[[STEP]]] : memref<20x5xi32, strided<[1, 32]>, #gpu.address_space<workgroup>>
//       CHECK:   scf.forall
//   CHECK-NOT:     arith.ori
//       CHECK:   linalg.generic {{.*}} outs(%{{.*}} : memref<9x7xi16, strided<[1, 10]>
//       CHECK:   scf.forall
//       CHECK:     memref.store %{{.*}}, %{{.*}} : memref<10x7xi16, strided<[1, 10]>
//       CHECK:   gpu.barrier
//       CHECK:   linalg.fill
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
//  CHECK-SAME:     ins(%{{.*}}, %{{.*}} : memref<5x7xi32, strided<[1, 5]>, {{.*}}, memref<20x5xi32, strided<[1, 32]>
//       CHECK:     tinytc.packed_mul_add i16
//       CHECK:   linalg.generic
//       CHECK:     arith.addi
tinytc.func @given(%alpha: i8, %a: !a, %b: !b, %beta: i32, %c: !c) {
  // expected-error @+1 {{expected the strategy to have the 512 bytes of local memory that its packed factors need, got 832}}
  tinytc.gemm n n %alpha, %a, %b, %beta, %c {tinytc.local_offset = 0 : i64, tinytc.strategy = #tinytc.strategy<kind = dot_products, local_bytes = 832>} : i8, !a, !b, i32, !c
}

// -----

!a = !tinytc.memref<8x20xi16>
!b = !tinytc.memref<7x8xi16>
!c = !tinytc.memref<20x7xi32>

// Words of A that are transposed, and words of columns of B side by side.
// CHECK-LABEL: @transposed
//       CHECK:   linalg.generic {{.*}} outs(%{{.*}} : memref<8x20xi16, strided<[1, 8]>
//       CHECK:   gpu.barrier
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : memref<4x20xi32, strided<[1, 4]>, {{.*}} outs(%{{.*}} : memref<20x4xi32, strided<[1, 32]>
//       CHECK:   memref.store {{.*}} memref<7x4xi32, strided<[1, 7]>
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : memref<7x4xi32, strided<[1, 7]>
tinytc.func @transposed(%alpha: i16, %a: !a, %b: !b, %beta: i32, %c: !c) {
  // expected-error @+1 {{expected a strategy that the target has a unit for}}
  tinytc.gemm t t %alpha, %a, %b, %beta, %c {tinytc.local_offset = 0 : i64, tinytc.strategy = #tinytc.strategy<kind = dot_products, local_bytes = 960>} : i16, !a, !b, i32, !c
}
