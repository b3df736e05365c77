// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a scalar element type (bf16, complex<f32>, complex<f64>, f16, f32, f64, i16, i32, i64, i8, index), got 'i1'}}
tinytc.func @memref_c1(%0: !tinytc.memref<4xi1>) {
}

// -----

// expected-error @+1 {{expected one stride for each mode, got 1 strides for 2 modes}}
tinytc.func @memref_c3(%0: !tinytc.memref<4x4xf32, strided<1>>) {
}

// -----

// expected-error @+1 {{expected the stride of mode 1 to be at least stride times size of mode 0 = 1 * 8, got 7}}
tinytc.func @memref_c4(%0: !tinytc.memref<8x4xf32, strided<1,7>>) {
}

// -----

// expected-error @+1 {{expected the stride of mode 0 to be positive, got 0}}
tinytc.func @memref_c4_first(%0: !tinytc.memref<8x4xf32, strided<0,8>>) {
}

// -----

// expected-error @+1 {{expected the stride of mode 2 to be at least stride times size of mode 1 = 16 * 4, got 5}}
tinytc.func @memref_c4_behind_dynamic(%0: !tinytc.memref<16x4x2xf32, strided<1,?,5>>) {
}

// -----

// expected-error @+1 {{expected a memref of less than 2^63 bytes, got one that is larger}}
tinytc.func @memref_c5(%0: !tinytc.memref<4294967296x2147483648xf32>) {
}

// -----

// expected-error @+1 {{expected the group size to be positive, got 0}}
tinytc.func @group_c1(%0: !tinytc.group<!tinytc.memref<4xf32> x 0>) {
}

// -----

// expected-error @+1 {{expected the group offset to be non-negative, got -1}}
tinytc.func @group_c2(%0: !tinytc.group<!tinytc.memref<4xf32> x ?, offset: -1>) {
}

// -----

// expected-error @+1 {{expected a memref type in the global address space, got '!tinytc.memref<4xf32, local>'}}
tinytc.func @group_c3(%0: !tinytc.group<!tinytc.memref<4xf32, local> x ?>) {
}

// -----

// expected-error @+1 {{expected a scalar element type (bf16, complex<f32>, complex<f64>, f16, f32, f64, i16, i32, i64, i8, index), got 'i1'}}
tinytc.func @coopmatrix_c1(%0: !tinytc.coopmatrix<8x8xi1, matrix_a>) {
}

// -----

// expected-error @+1 {{expected positive sizes, got 8x0}}
tinytc.func @coopmatrix_c2(%0: !tinytc.coopmatrix<8x0xf32, matrix_a>) {
}

// -----

// expected-error @+1 {{expected at most 65536 components, got 257x256}}
tinytc.func @coopmatrix_c3(%0: !tinytc.coopmatrix<257x256xf32, matrix_a>) {
}

// -----

// expected-error @+1 {{expected at most 65536 components, got 9223372036854775807x9223372036854775807}}
tinytc.func @coopmatrix_c3_overflow(%0: !tinytc.coopmatrix<9223372036854775807x9223372036854775807xf32, matrix_a>) {
}

// -----

// expected-error @+1 {{expected 'strided', 'global' or 'local', got 'shared'}}
tinytc.func @memref_keyword(%0: !tinytc.memref<8xf32, shared>) {
}

// -----

// expected-error @+1 {{expected 'matrix_a', 'matrix_b' or 'matrix_acc', got 'matrix_c'}}
tinytc.func @coopmatrix_keyword(%0: !tinytc.coopmatrix<8x8xf32, matrix_c>) {
}

// -----

// expected-error @+1 {{expected 2 sizes, got 1}}
tinytc.func @coopmatrix_sizes(%0: !tinytc.coopmatrix<8xf32, matrix_a>) {
}
