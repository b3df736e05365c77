// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=intel-gpu:dg2 \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// The tile of elements is for the case that there is no local memory.
// CHECK-LABEL: @shared_factors
//       CHECK:   tinytc.gemm {{.*}} {tinytc.strategy = #tinytc.strategy<kind = packed_factors,
//  CHECK-SAME:     rows = 32, columns = 16, unroll = 4, grid_rows = 2, grid_columns = 4,
//  CHECK-SAME:     element_rows = 16, element_columns = 16, local_bytes = 16384>}
tinytc.func @shared_factors(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x?xf16>
!n = !tinytc.memref<?x64xf16>
!c = !tinytc.memref<64x64xf32>

// Sizes that are not known count as 64, and tiles are smaller.
// CHECK-LABEL: @unknown_depth
//       CHECK:   <kind = packed_factors, rows = 16, columns = 16, unroll = 4, grid_rows = 2, grid_columns = 4,
//  CHECK-SAME:     element_rows = 16, element_columns = 16, local_bytes = 12288>
tinytc.func @unknown_depth(%alpha: f16, %a: !m, %b: !n, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !m, !n, f32, !c
}

// -----

!m = !tinytc.memref<?x?xf16>
!c = !tinytc.memref<?x?xf32>

// Eight subgroups share the factors.
// CHECK-LABEL: @unknown_sizes
//  CHECK-SAME:   work_group_size = array<i32: 64, 1>
//       CHECK:   <kind = packed_factors, rows = 16, columns = 16, unroll = 4, grid_rows = 2, grid_columns = 4,
tinytc.func @unknown_sizes(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// One subgroup would pack more than it reads.
// CHECK-LABEL: @negative_one_subgroup
//       CHECK:   <kind = matrix_unit, rows = 16, columns = 16, element_rows = 16, element_columns = 16>
tinytc.func @negative_one_subgroup(%alpha: f16, %a: !m, %beta: f32, %c: !c)
    attributes {work_group_size = array<i32: 8, 1>} {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// A tile of one operation shares no factors.
// CHECK-LABEL: @scheduled
//       CHECK:   <kind = matrix_unit, rows = 8, columns = 8, element_rows = 8, element_columns = 8>
tinytc.func @scheduled(%alpha: f16, %a: !m, %beta: f32, %c: !c)
    attributes {schedule = #tinytc.schedule<rows = 1, columns = 8>} {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}
