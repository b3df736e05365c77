// RUN: tinytc-opt %s --tinytc-attach-target="target=intel-gpu:pvc allow-tf32" \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   --tinytc-convert-to-linalg | FileCheck %s

!a = !tinytc.memref<32x16xf32>
!b = !tinytc.memref<16x8xf32>
!c = !tinytc.memref<32x8xf32>

// Blocks of halves of B, elements of A; without blocks, a lane loads numbers of B and
// takes its half.
// CHECK-LABEL: func.func @plain
//  CHECK-SAME:   tinytc.subgroup_size = 16
//       CHECK:   scf.if %{{.*}} {
//       CHECK:     scf.for
//       CHECK:       memref.load
//       CHECK:       %[[HALVES:.*]]:8 = tinytc.subgroup_block_load {{.*}} -> i16, i16, i16, i16, i16, i16, i16, i16
//       CHECK:       tinytc.subgroup_matrix_mul_add{{.*}} (%[[HALVES]]#0,
//   CHECK-NOT:   tinytc.subgroup_block_load
//       CHECK:   } else {
//       CHECK:     %[[PAIR:.*]] = arith.divui %[[LANE:.*]], %c2
//       CHECK:     arith.addi %{{.*}}, %[[PAIR]]
//       CHECK:     arith.trunci %{{.*}} : i32 to i16
//       CHECK:     tinytc.subgroup_matrix_mul_add
tinytc.func @plain(%alpha: f32, %a: !a, %b: !b, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !a, !b, f32, !c
}

// CHECK-LABEL: func.func @transposed_a
//       CHECK:   tinytc.subgroup_block_load transposed {{.*}} -> f32, f32, f32, f32, f32, f32, f32, f32
//       CHECK:   tinytc.subgroup_block_load {{.*}} -> i16
tinytc.func @transposed_a(%alpha: f32, %a: !tinytc.memref<16x32xf32>, %b: !b, %c: !c) {
  tinytc.gemm t n %alpha, %a, %b, %alpha, %c
    : f32, !tinytc.memref<16x32xf32>, !b, f32, !c
}

// CHECK-LABEL: func.func @negative_blocks_of_transposed_b
//   CHECK-NOT:   tinytc.subgroup_block_load
//       CHECK:   tinytc.subgroup_matrix_mul_add
tinytc.func @negative_blocks_of_transposed_b(%alpha: f32, %a: !a,
                                             %b: !tinytc.memref<8x16xf32>, %c: !c) {
  tinytc.gemm n t %alpha, %a, %b, %alpha, %c
    : f32, !a, !tinytc.memref<8x16xf32>, f32, !c
}

// CHECK-LABEL: func.func @negative_f64
//   CHECK-NOT:   tinytc.subgroup_matrix_mul_add
tinytc.func @negative_f64(%alpha: f64, %a: !tinytc.memref<16x16xf64>, %c: !tinytc.memref<16x16xf64>) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c
    : f64, !tinytc.memref<16x16xf64>, !tinytc.memref<16x16xf64>, f64,
      !tinytc.memref<16x16xf64>
}
