// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=cuda:sm_90 \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   --tinytc-convert-to-linalg | FileCheck %s

!a = !tinytc.memref<32x16xf16>
!b = !tinytc.memref<16x16xf16>
!c = !tinytc.memref<32x16xf32>

// One warp has all of C. Its work-items load four adjacent rows of A and four adjacent
// steps of B; the columns of C are the rows of the operation.
// CHECK-LABEL: func.func @gemm
//  CHECK-SAME:   tinytc.subgroup_size = 32
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[GROUP:.*]] = arith.divui %[[LANE]], %c4
//       CHECK:   %[[IN_QUAD:.*]] = arith.remui %[[LANE]], %c4
//       CHECK:   %[[ROWS:.*]] = arith.muli %[[GROUP]], %c4
//       CHECK:   %[[ROW:.*]] = arith.addi %{{.*}}, %[[ROWS]]
//       CHECK:   %[[SUMS:.*]]:16 = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c16
//       CHECK:     %[[STEPS:.*]] = arith.muli %[[IN_QUAD]], %c4
//       CHECK:     %[[STEP:.*]] = arith.addi %[[K]], %[[STEPS]]
//       CHECK:     memref.load %{{.*}}[%[[ROW]], %[[STEP]]]
// CHECK-COUNT-4:   tinytc.warp_matrix_mul_add
//   CHECK-NOT:     tinytc.warp_matrix_mul_add
//       CHECK:   memref.store
tinytc.func @gemm(%alpha: f16, %a: !a, %b: !b, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !a, !b, f32, !c
}

// -----

!a = !tinytc.memref<9x24xf16>
!b = !tinytc.memref<9x16xf16>
!c = !tinytc.memref<24x16xf32>

// The end of the summed mode lies between the steps of a work-item: each of them is
// looked at. The last rows of the tile are those of idle work-items.
// CHECK-LABEL: func.func @tail
//       CHECK:   %[[HAS_ROWS:.*]] = arith.cmpi slt, %[[ROW:.*]], %c24
//       CHECK:   arith.select %[[HAS_ROWS]], %[[ROW]], %c20
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[K:.*]], %c9
//       CHECK:   %[[LAST:.*]] = arith.subi %c9
//       CHECK:   %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[K]], %[[LAST]]
//       CHECK:   %[[NUMBER:.*]] = memref.load %{{.*}}[%[[PLACE]], %{{.*}}]
//       CHECK:   arith.select %[[INSIDE]], %[[NUMBER]], %cst
//       CHECK:   tinytc.warp_matrix_mul_add
tinytc.func @tail(%alpha: f16, %a: !a, %b: !b, %beta: f32, %c: !c) {
  tinytc.gemm t n %alpha, %a, %b, %beta, %c : f16, !a, !b, f32, !c
}

// -----

!f = !tinytc.memref<32x32xf32>
!h = !tinytc.memref<32x32xf16>
!v = !tinytc.memref<32x1xf16>

// Numbers of f32 have all of their bits; one column fills a sixteenth of an operation;
// the program asks for half of a warp.
// CHECK-LABEL: func.func @negative_f32
//   CHECK-NOT:   tinytc.warp_matrix_mul_add
tinytc.func @negative_f32(%alpha: f32, %a: !f, %c: !f) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : f32, !f, !f, f32, !f
}
// CHECK-LABEL: func.func @negative_column
//   CHECK-NOT:   tinytc.warp_matrix_mul_add
tinytc.func @negative_column(%alpha: f16, %a: !h, %b: !v, %c: !v) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f16, !h, !v, f16, !v
}
// CHECK-LABEL: func.func @negative_half_a_warp
//   CHECK-NOT:   tinytc.warp_matrix_mul_add
tinytc.func @negative_half_a_warp(%alpha: f16, %a: !h, %c: !h) attributes {subgroup_size = 16 : i32} {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : f16, !h, !h, f16, !h
}
