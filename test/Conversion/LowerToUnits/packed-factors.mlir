// RUN: tinytc-opt %s --tinytc-attach-target=target=intel-gpu:dg2 \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

!m = !tinytc.memref<64x64xf16>

// The grid of a given strategy: 32 rows and 32 columns at a time, in four steps of the
// summed mode.
// CHECK-LABEL: @given
//       CHECK:   memref.alloc() {{.*}} : memref<8192xi8, #gpu.address_space<workgroup>>
//       CHECK:   %[[ROWS:.*]] = arith.constant 32 : index
//       CHECK:   scf.for {{.*}} step %[[ROWS]]
//       CHECK:     %[[COLUMNS:.*]] = arith.constant 32 : index
//       CHECK:     scf.for {{.*}} step %[[COLUMNS]]
//       CHECK:       gpu.barrier
//       CHECK:       memref.store {{.*}} #gpu.address_space<workgroup>>
//       CHECK:       gpu.barrier
// CHECK-COUNT-2:       tinytc.subgroup_matrix_mul_add
//   CHECK-NOT:       tinytc.subgroup_matrix_mul_add
tinytc.func @given(%alpha: f16, %a: !m, %b: !m, %c: !m) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c {
    tinytc.local_offset = 0 : i64,
    tinytc.strategy = #tinytc.strategy<kind = packed_factors, rows = 8, columns = 16,
      unroll = 4, grid_rows = 4, grid_columns = 2, local_bytes = 8192>
  } : f16, !m, !m, f16, !m
}
