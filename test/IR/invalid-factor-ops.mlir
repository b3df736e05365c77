// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @cholesky_c1(%0: !tinytc.memref<4x4xi32>) {
  // expected-error @+1 {{operand #0 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4x4xi32>'}}
  tinytc.cholesky l %0
    : !tinytc.memref<4x4xi32>
}

// -----

tinytc.func @cholesky_c2(%0: !tinytc.memref<4x5xf32>) {
  // expected-error @+1 {{expected 'a' to be square, got (4, 5)}}
  tinytc.cholesky l %0
    : !tinytc.memref<4x5xf32>
}

// -----

tinytc.func @cholesky_c3(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<1xi32>) {
  // expected-error @+1 {{operand #1 must be memref of order 0 of i32, but got '!tinytc.memref<1xi32>'}}
  tinytc.cholesky l %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<1xi32>
}

// -----

tinytc.func @lu_c1(%0: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #0 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.lu %0
    : !tinytc.memref<4xf32>
}

// -----

tinytc.func @lu_c4(%A: !tinytc.memref<4x4xf32>, %info: !tinytc.memref<i32>) {
  // expected-error @+1 {{expected 'piv' before 'info', got none}}
  "tinytc.lu"(%A, %info) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
    : (!tinytc.memref<4x4xf32>, !tinytc.memref<i32>) -> ()
}

// -----

tinytc.func @lu_c2(%0: !tinytc.memref<4x5xf32>, %1: !tinytc.memref<5xi32>) {
  // expected-error @+1 {{expected the size of 'piv' to equal the smaller size of 'a' = 4, got 5}}
  tinytc.lu %0, %1
    : !tinytc.memref<4x5xf32>, !tinytc.memref<5xi32>
}

// -----

tinytc.func @lu_c3(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #1 must be vector of i32, but got '!tinytc.memref<4xf32>'}}
  tinytc.lu %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @lu_c5(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xi32>, %2: !tinytc.memref<1xi32>) {
  // expected-error @+1 {{operand #2 must be memref of order 0 of i32, but got '!tinytc.memref<1xi32>'}}
  tinytc.lu %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<1xi32>
}

// -----

tinytc.func @trsm_c1(%0: f32, %1: !tinytc.memref<2x4x4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #1 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<2x4x4xf32>'}}
  tinytc.trsm l n %0, %1, %2
    : f32, !tinytc.memref<2x4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trsm_c2(%0: f32, %1: !tinytc.memref<4x5xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' to be square, got (4, 5)}}
  tinytc.trsm l n %0, %1, %2
    : f32, !tinytc.memref<4x5xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trsm_c3(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<2x4x4xf32>) {
  // expected-error @+1 {{operand #2 must be vector or matrix of f32, f64, c32 or c64, but got '!tinytc.memref<2x4x4xf32>'}}
  tinytc.trsm l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<2x4x4xf32>
}

// -----

tinytc.func @trsm_c4(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'b' to have order 2, got 1}}
  tinytc.trsm right l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trsm_c5(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<3xf32>) {
  // expected-error @+1 {{expected the rows of 'b' to equal the rows of 'a' = 4, got 3}}
  tinytc.trsm l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<3xf32>
}

// -----

tinytc.func @trsm_c5_right(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4x5xf32>) {
  // expected-error @+1 {{expected the columns of 'b' to equal the rows of 'a' = 4, got 5}}
  tinytc.trsm right l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4x5xf32>
}

// -----

tinytc.func @trsm_c6(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4x4xf64>) {
  // expected-error @+1 {{expected 'a' and 'b' to have the same element type, got 'f32' and 'f64'}}
  tinytc.trsm l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf64>
}

// -----

tinytc.func @trsm_c7(%0: f64, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.trsm l n %0, %1, %2
    : f64, !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trsm_c8(%0: f32, %1: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.trsm l n %0, %1, %1
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @swap_rows_c1(%0: !tinytc.memref<4xf32>, %1: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{operand #0 must be vector of i32, but got '!tinytc.memref<4xf32>'}}
  tinytc.swap_rows %0, %1
    : !tinytc.memref<4xf32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @swap_rows_c2(%0: !tinytc.memref<4xi32>, %1: !tinytc.memref<4x4xi32>) {
  // expected-error @+1 {{operand #1 must be vector or matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4x4xi32>'}}
  tinytc.swap_rows %0, %1
    : !tinytc.memref<4xi32>, !tinytc.memref<4x4xi32>
}

// -----

tinytc.func @swap_rows_c3(%0: !tinytc.memref<5xi32>, %1: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'piv' to have at most as many elements as 'b' has rows, 4, got 5}}
  tinytc.swap_rows %0, %1
    : !tinytc.memref<5xi32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @syrk_c1(%0: f32, %1: !tinytc.memref<4xf32>, %2: f32, %3: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{operand #1 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.syrk l n %0, %1, %2, %3
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @syrk_c2(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: f32, %3: !tinytc.memref<4x4xi32>) {
  // expected-error @+1 {{operand #3 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4x4xi32>'}}
  tinytc.syrk l n %0, %1, %2, %3
    : f32, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<4x4xi32>
}

// -----

tinytc.func @syrk_c3(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: f32, %3: !tinytc.memref<4x5xf32>) {
  // expected-error @+1 {{expected 'c' to be square, got (4, 5)}}
  tinytc.syrk l n %0, %1, %2, %3
    : f32, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<4x5xf32>
}

// -----

tinytc.func @syrk_c4(%0: f32, %1: !tinytc.memref<4x5xf32>, %2: f32, %3: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected the rows of 'c' to equal the rows of op('a') = 5, got 4}}
  tinytc.syrk l t %0, %1, %2, %3
    : f32, !tinytc.memref<4x5xf32>, f32, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @syrk_c5(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: f32, %3: !tinytc.memref<4x4xf64>) {
  // expected-error @+1 {{expected 'a' and 'c' to have the same element type, got 'f32' and 'f64'}}
  tinytc.syrk l n %0, %1, %2, %3
    : f32, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<4x4xf64>
}

// -----

tinytc.func @syrk_c6(%0: f64, %1: !tinytc.memref<4x4xf32>, %2: f32, %3: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.syrk l n %0, %1, %2, %3
    : f64, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @syrk_c7(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: f64, %3: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'c', got 'f64'}}
  tinytc.syrk l n %0, %1, %2, %3
    : f32, !tinytc.memref<4x4xf32>, f64, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @syrk_c8(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: f32, %3: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.syrk l n atomic %0, %1, %2, %3
    : f32, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @syrk_c9(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: f32) {
  // expected-error @+1 {{expected 'c' not to overlap 'a', got operands with common elements}}
  tinytc.syrk l n %0, %1, %2, %1
    : f32, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<4x4xf32>
}
