// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=cuda:sm_90 \
// RUN:   --tinytc-allocate-local-memory --tinytc-convert-to-linalg --verify-diagnostics

!m = !tinytc.memref<64x64xf32>

tinytc.func @tile(%alpha: f32, %a: !m, %b: !m, %c: !m)
    attributes {subgroup_size = 32 : i32, work_group_size = array<i32: 32, 1>} {
  // expected-error @+1 {{expected a strategy with tiles of multiples of 64 x 32 elements, got 32 x 32}}
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c {tinytc.strategy = #tinytc.strategy<kind = staged_factors, rows = 32, columns = 32, unroll = 8, grid_rows = 1, grid_columns = 1, local_bytes = 7168, stages = 2>} : f32, !m, !m, f32, !m
}

// -----

!m = !tinytc.memref<64x64xf32>

tinytc.func @subgroups(%alpha: f32, %a: !m, %b: !m, %c: !m)
    attributes {subgroup_size = 32 : i32, work_group_size = array<i32: 64, 1>} {
  // expected-error @+1 {{expected a strategy that the target has a unit for, with these types, sizes and subgroups, got staged_factors}}
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c {tinytc.strategy = #tinytc.strategy<kind = staged_factors, rows = 64, columns = 32, unroll = 8, grid_rows = 1, grid_columns = 1, local_bytes = 7168, stages = 2>} : f32, !m, !m, f32, !m
}

// -----

!m = !tinytc.memref<64x64xf32>

tinytc.func @bytes(%alpha: f32, %a: !m, %b: !m, %c: !m)
    attributes {subgroup_size = 32 : i32, work_group_size = array<i32: 32, 1>} {
  // expected-error @+1 {{expected the strategy to have the 7168 bytes of local memory that its stages need, got 4096}}
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c {tinytc.strategy = #tinytc.strategy<kind = staged_factors, rows = 64, columns = 32, unroll = 8, grid_rows = 1, grid_columns = 1, local_bytes = 4096, stages = 2>} : f32, !m, !m, f32, !m
}
