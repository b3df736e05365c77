// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=intel-gpu:pvc \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   --tinytc-convert-to-linalg | FileCheck %s

!a = !tinytc.memref<64x32xf16>
!b = !tinytc.memref<32x9xf16>
!c = !tinytc.memref<64x9xf32>

// Two subgroups with 32 rows each and all columns: one operation of the unit for 8 of
// them, one for the last one. Blocks are read if both matrices allow it.
// CHECK-LABEL: func.func @gemm
//  CHECK-SAME:   tinytc.subgroup_size = 16
//       CHECK:   %[[BASE_A:.*]], %[[OFFSET_A:.*]], %{{.*}}, %[[STRIDES_A:.*]]:2 = memref.extract_strided_metadata
//       CHECK:   %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[OFFSET_A]], %c2
//       CHECK:   %[[ADDRESS:.*]] = arith.addi %[[POINTER]], %[[BYTES]]
//       CHECK:   arith.andi %[[ADDRESS]], %c63
//       CHECK:   scf.if %{{.*}} {
//       CHECK:     scf.for %[[K:[a-z0-9]+]] = %{{.*}} -> (f32,
//       CHECK:       tinytc.subgroup_block_load %[[BASE_A]][%[[OFFSET_A]]] sizes(%{{.*}}, %{{.*}}) stride %[[STRIDES_A]]#1 at(%{{.*}}, %[[K]])
//   CHECK-NOT:       memref.load
//       CHECK:       %[[EIGHT:.*]]:8 = tinytc.subgroup_matrix_mul_add
//       CHECK:       %[[ONE:.*]] = tinytc.subgroup_matrix_mul_add
//       CHECK:     } {tinytc.unroll = false}
//       CHECK:   } else {
//       CHECK:     scf.for
//   CHECK-NOT:       tinytc.subgroup_block_load
//       CHECK:       memref.load
//       CHECK:       tinytc.subgroup_matrix_mul_add
tinytc.func @gemm(%alpha: f16, %a: !a, %b: !b, %beta: f32, %c: !c)
    attributes {work_group_size = array<i32: 32, 1>} {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !a, !b, f32, !c
}

// -----

!a = !tinytc.memref<31x16xi8>
!b = !tinytc.memref<31x8xi8>
!c = !tinytc.memref<16x8xi32>

// Columns of 31 bytes are too short for blocks; the last step ends with zeros.
// CHECK-LABEL: func.func @tail
//   CHECK-NOT:   tinytc.subgroup_block_load
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[K:.*]], %c31
//       CHECK:   %[[LAST:.*]] = arith.subi %c31
//       CHECK:   %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[K]], %[[LAST]]
//       CHECK:   %[[BYTE:.*]] = memref.load %{{.*}}[%[[PLACE]], %{{.*}}]
//       CHECK:   arith.select %[[INSIDE]], %[[BYTE]], %c0_i8
//       CHECK:   tinytc.subgroup_matrix_mul_add
tinytc.func @tail(%alpha: i8, %a: !a, %b: !b, %beta: i32, %c: !c) {
  tinytc.gemm t n %alpha, %a, %b, %beta, %c : i8, !a, !b, i32, !c
}

// -----

!a = !tinytc.memref<64x64xi8>
!c = !tinytc.memref<64x64xi32>

// A work-item gets neighbours of B, so the columns of A are permuted: 0, 2, ..., 1, 3, ...
// CHECK-LABEL: func.func @bytes
//       CHECK:   scf.if
//       CHECK:     %[[A:.*]]:32 = tinytc.subgroup_block_load
//       CHECK:     tinytc.subgroup_block_load {{.*}} -> i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
//       CHECK:     %[[B:.*]]:16 = tinytc.subgroup_block_load
//       CHECK:     tinytc.subgroup_matrix_mul_add(%[[A]]#0, %[[A]]#2, %[[A]]#4, {{.*}} %[[A]]#30, %[[A]]#1, %[[A]]#3, {{.*}} %[[A]]#31), (%[[B]]#0, %[[B]]#1, %[[B]]#2,
//       CHECK:   } else {
//   CHECK-NOT:     tinytc.subgroup_block_load
tinytc.func @bytes(%alpha: i8, %a: !a, %b: !a, %beta: i32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : i8, !a, !a, i32, !c
}

// -----

// A work-item gets 32 bytes of a row of B transposed: two loads for 32 rows.
// CHECK-LABEL: func.func @bytes_transposed
//       CHECK:     %[[A:.*]]:32 = tinytc.subgroup_block_load transposed
//       CHECK:     %[[B:.*]]:32 = tinytc.subgroup_block_load transposed {{.*}} at(
//       CHECK:     tinytc.subgroup_matrix_mul_add
tinytc.func @bytes_transposed(%alpha: i8, %a: !tinytc.memref<64x64xi8>,
                              %b: !tinytc.memref<64x64xi8>, %beta: i32,
                              %c: !tinytc.memref<64x64xi32>) {
  tinytc.gemm t t %alpha, %a, %b, %beta, %c
    : i8, !tinytc.memref<64x64xi8>, !tinytc.memref<64x64xi8>, i32, !tinytc.memref<64x64xi32>
}

// -----

!a = !tinytc.memref<64x32xf16>
!b = !tinytc.memref<32x3xf16>
!c = !tinytc.memref<64x3xf32>

// Three columns are too few, and f32 has no unit.
// CHECK-LABEL: func.func @negative_columns
//   CHECK-NOT:   tinytc.subgroup_matrix_mul_add
//       CHECK:   linalg.generic
tinytc.func @negative_columns(%alpha: f16, %a: !a, %b: !b, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !a, !b, f32, !c
}

// CHECK-LABEL: func.func @negative_type
//   CHECK-NOT:   tinytc.subgroup_matrix_mul_add
//       CHECK:   linalg.generic
tinytc.func @negative_type(%alpha: f32, %a: !tinytc.memref<32x32xf32>, %c: !tinytc.memref<32x32xf32>) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// Subgroups of 32 lanes have none either.
// CHECK-LABEL: func.func @negative_subgroup
//   CHECK-NOT:   tinytc.subgroup_matrix_mul_add
//       CHECK:   linalg.generic
tinytc.func @negative_subgroup(%alpha: f16, %a: !a, %b: !tinytc.memref<32x8xf16>,
                               %beta: f32, %c: !tinytc.memref<64x8xf32>)
    attributes {subgroup_size = 32 : i32} {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c
    : f16, !a, !tinytc.memref<32x8xf16>, f32, !tinytc.memref<64x8xf32>
}

// -----

!a = !tinytc.coopmatrix<16x16xbf16, matrix_a>
!b = !tinytc.coopmatrix<16x8xbf16, matrix_b>
!c = !tinytc.coopmatrix<16x8xbf16, matrix_acc>

// Sums of bf16 are computed in f32 and rounded once.
// CHECK-LABEL: func.func @coopmatrix
//       CHECK:   %[[C:.*]] = arith.extf %{{.*}} : bf16 to f32
//       CHECK:   %[[SUM:.*]]:8 = tinytc.subgroup_matrix_mul_add
//       CHECK:   arith.truncf %[[SUM]]#0 : f32 to bf16
tinytc.func @coopmatrix(%m: !tinytc.memref<16x16xbf16>, %i: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %m[%i, %i] : !tinytc.memref<16x16xbf16> -> !a
    %b = tinytc.cooperative_matrix_load n %m[%i, %i] : !tinytc.memref<16x16xbf16> -> !b
    %c = tinytc.cooperative_matrix_load n %m[%i, %i] : !tinytc.memref<16x16xbf16> -> !c
    %d = tinytc.cooperative_matrix_mul_add %a, %b, %c : !a, !b, !c -> !c
    tinytc.cooperative_matrix_store %d, %m[%i, %i] : !c, !tinytc.memref<16x16xbf16>
  }
}
