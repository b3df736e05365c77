// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=intel-gpu:dg2 \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg --verify-diagnostics

!m = !tinytc.memref<8x9xf32>

tinytc.func @no_strategy(%alpha: f32, %a: !m, %b: !m) {
  // expected-error @+1 {{expected a strategy, got none: run tinytc-choose-strategies first}}
  tinytc.cumsum %alpha, %a, 0, %alpha, %b : f32, !m, f32, !m
}

// -----

!m = !tinytc.memref<8x9xf32>

tinytc.func @other_mode(%alpha: f32, %a: !m, %b: !m) {
  // expected-error @+1 {{expected a strategy of line_walks, got scan}}
  tinytc.cumsum %alpha, %a, 1, %alpha, %b {tinytc.strategy = #tinytc.strategy<kind = scan>} : f32, !m, f32, !m
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

tinytc.func @other_kind(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  // expected-error @+1 {{expected a strategy of work_items, matrix_unit, packed_factors, tensor_cores, dot_products, tile_registers, staged_factors, got scan}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = scan>} : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xbf16>
!c = !tinytc.memref<64x64xf32>

tinytc.func @size_of_tile(%alpha: bf16, %a: !m, %beta: f32, %c: !c) {
  // expected-error @+1 {{expected 'columns' of tile_registers to be a multiple of 1 up to 16, got 17}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = tile_registers, rows = 16, columns = 17, unroll = 16>} : bf16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf32>

tinytc.func @other_type(%alpha: f32, %a: !m, %c: !m) {
  // expected-error @+1 {{expected a strategy that the target has a unit for, with these types, sizes and subgroups, got matrix_unit}}
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c {tinytc.strategy = #tinytc.strategy<kind = matrix_unit, rows = 8, columns = 8, element_rows = 8, element_columns = 8>} : f32, !m, !m, f32, !m
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

tinytc.func @other_target(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  // expected-error @+1 {{expected a strategy that the target has a unit for, with these types, sizes and subgroups, got tensor_cores}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = tensor_cores, rows = 8, columns = 16, unroll = 1>} : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

tinytc.func @tile(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  // expected-error @+1 {{expected a strategy with tiles of multiples of 8 x 1 elements, got 12 x 8}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = matrix_unit, rows = 12, columns = 8, element_rows = 8, element_columns = 8>} : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

tinytc.func @local_bytes(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  // expected-error @+1 {{expected the strategy to have the 4096 bytes of local memory that its grid needs, got 512}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = packed_factors, rows = 32, columns = 16, unroll = 1, grid_rows = 2, grid_columns = 4, element_rows = 16, element_columns = 16, local_bytes = 512>} : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

tinytc.func @no_place(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  // expected-error @+1 {{expected the factors to have a place in local memory, got none: run tinytc-allocate-local-memory first}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = packed_factors, rows = 32, columns = 16, unroll = 1, grid_rows = 2, grid_columns = 4, element_rows = 16, element_columns = 16, local_bytes = 4096>} : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

tinytc.func @misplaced(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  // expected-error @+1 {{expected the place of the factors in local memory to be a multiple of 32 bytes, got 16}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.local_offset = 16 : i64, tinytc.strategy = #tinytc.strategy<kind = packed_factors, rows = 32, columns = 16, unroll = 1, grid_rows = 2, grid_columns = 4, element_rows = 16, element_columns = 16, local_bytes = 4096>} : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xi8>
!b = !tinytc.coopmatrix<32x32xi8, matrix_b>

tinytc.func @pairs_that_are_seen(%m: !m, %x: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected a strategy with two rows for a matrix_b of i8 that only products on the matrix unit use, got matrix_unit with 2}}
    %b = tinytc.cooperative_matrix_load n %m[%x, %x] {tinytc.strategy = #tinytc.strategy<kind = matrix_unit, rows = 2>} : !m -> !b
    tinytc.cooperative_matrix_store %b, %m[%x, %x] : !b, !m
  }
}

// -----

!m = !tinytc.memref<64x64xi8>
!n = !tinytc.memref<64x64xi32>
!a = !tinytc.coopmatrix<32x32xi8, matrix_a>
!b = !tinytc.coopmatrix<32x32xi8, matrix_b>
!c = !tinytc.coopmatrix<32x32xi32, matrix_acc>

tinytc.func @no_pairs(%m: !m, %n: !n, %x: index) attributes {subgroup_size = 8 : i32} {
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %m[%x, %x] : !m -> !a
    %b = tinytc.cooperative_matrix_load n %m[%x, %x] : !m -> !b
    %c = tinytc.cooperative_matrix_load n %n[%x, %x] : !n -> !c
    // expected-error @+1 {{expected the strategy to have the rows of that of the load of B, got 2}}
    %d = tinytc.cooperative_matrix_mul_add %a, %b, %c {tinytc.strategy = #tinytc.strategy<kind = matrix_unit, rows = 2>} : !a, !b, !c -> !c
  }
}

// -----

!m = !tinytc.memref<64x64xi8>
!c = !tinytc.memref<64x64xi32>

tinytc.func @no_instruction(%alpha: i8, %a: !m, %beta: i32, %c: !c) {
  // expected-error @+1 {{expected a strategy that the target has a unit for, with these types, sizes and subgroups, got dot_products}}
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = dot_products, local_bytes = 8192>} : i8, !m, !m, i32, !c
}
