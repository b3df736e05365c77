// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @gemm_c1(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'b' to have order 2, got 1}}
  tinytc.gemm n n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @gemm_c2(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8x4xf32>,
    %y: f32, %c: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected the rows of op('b') to equal the columns of op('a') = 8, got 4}}
  tinytc.gemm n t %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8x4xf32>, f32, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @gemm_c3(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<4x2xf32>,
    %y: f32, %c: !tinytc.memref<4x2xf32>) {
  // expected-error @+1 {{expected the rows of 'c' to equal the rows of op('a') = 8, got 4}}
  tinytc.gemm t n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<4x2xf32>, f32, !tinytc.memref<4x2xf32>
}

// -----

tinytc.func @gemm_c4(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8x2xf32>,
    %y: f32, %c: !tinytc.memref<4x3xf32>) {
  // expected-error @+1 {{expected the columns of 'c' to equal the columns of op('b') = 2, got 3}}
  tinytc.gemm n n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8x2xf32>, f32, !tinytc.memref<4x3xf32>
}

// -----

tinytc.func @gemm_c5(%x: f64, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8x2xf32>,
    %y: f32, %c: !tinytc.memref<4x2xf32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.gemm n n %x, %a, %b, %y, %c
    : f64, !tinytc.memref<4x8xf32>, !tinytc.memref<8x2xf32>, f32, !tinytc.memref<4x2xf32>
}

// -----

tinytc.func @gemm_c5_factors(%x: i64, %a: !tinytc.memref<4x8xi64>, %b: !tinytc.memref<8x2xf32>,
    %y: f32, %c: !tinytc.memref<4x2xf32>) {
  // expected-error @+1 {{expected 'a' and 'b' to have element types of which one is promotable to the other, got 'i64' and 'f32'}}
  tinytc.gemm n n %x, %a, %b, %y, %c
    : i64, !tinytc.memref<4x8xi64>, !tinytc.memref<8x2xf32>, f32, !tinytc.memref<4x2xf32>
}

// -----

tinytc.func @gemm_c5_result(%x: f32, %a: !tinytc.memref<4x8xf64>, %b: !tinytc.memref<8x2xf32>,
    %y: f32, %c: !tinytc.memref<4x2xf32>) {
  // expected-error @+1 {{expected 'c' to have an element type that 'f64' is promotable to, got 'f32'}}
  tinytc.gemm n n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf64>, !tinytc.memref<8x2xf32>, f32, !tinytc.memref<4x2xf32>
}

// -----

tinytc.func @gemm_c6(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8x2xf32>,
    %y: f64, %c: !tinytc.memref<4x2xf32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'c', got 'f64'}}
  tinytc.gemm n n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8x2xf32>, f64, !tinytc.memref<4x2xf32>
}

// -----

tinytc.func @gemm_c7(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8x2xf32>,
    %y: f32, %c: !tinytc.memref<4x2xf32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.gemm n n atomic %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8x2xf32>, f32, !tinytc.memref<4x2xf32>
}

// -----

tinytc.func @gemm_c7_complex(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8x2xf32>,
    %c: !tinytc.memref<4x2xcomplex<f32>>) {
  %y = tinytc.constant [1.0 : f32, 1.0 : f32] -> complex<f32>
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got [1.000000e+00 : f32, 1.000000e+00 : f32]}}
  tinytc.gemm n n atomic %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8x2xf32>, complex<f32>, !tinytc.memref<4x2xcomplex<f32>>
}

// -----

tinytc.func @gemv_c1(%x: f32, %a: !tinytc.memref<8xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' to have order 2, got 1}}
  tinytc.gemv n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @gemv_c2(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'c' to have order 1, got 2}}
  tinytc.gemv n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @gemv_c3(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the rows of 'b' to equal the columns of op('a') = 4, got 8}}
  tinytc.gemv t %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// -----

tinytc.func @gemv_c4(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the rows of 'c' to equal the rows of op('a') = 4, got 8}}
  tinytc.gemv n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// -----

tinytc.func @gemv_c5(%x: i64, %a: !tinytc.memref<4x8xi64>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' and 'b' to have element types of which one is promotable to the other, got 'i64' and 'f32'}}
  tinytc.gemv n %x, %a, %b, %y, %c
    : i64, !tinytc.memref<4x8xi64>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @gemv_c6(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8xf32>,
    %y: f64, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'c', got 'f64'}}
  tinytc.gemv n %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8xf32>, f64, !tinytc.memref<4xf32>
}

// -----

tinytc.func @gemv_c7(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.gemv n atomic %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @ger_c1(%x: f32, %a: !tinytc.memref<4x1xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected 'a' to have order 1, got 2}}
  tinytc.ger %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x1xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @ger_c2(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'c' to have order 2, got 1}}
  tinytc.ger %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @ger_c3(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<8x8xf32>) {
  // expected-error @+1 {{expected the rows of 'c' to equal the rows of 'a' = 4, got 8}}
  tinytc.ger %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<8x8xf32>
}

// -----

tinytc.func @ger_c4(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected the columns of 'c' to equal the rows of 'b' = 8, got 4}}
  tinytc.ger %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @ger_c5(%x: f64, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.ger %x, %a, %b, %y, %c
    : f64, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @ger_c6(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<8xf32>,
    %y: f64, %c: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'c', got 'f64'}}
  tinytc.ger %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f64, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @ger_c7(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<8xf32>,
    %y: f32, %c: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.ger atomic %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @hadamard_product_c1(%x: f32, %a: !tinytc.memref<f32>, %b: !tinytc.memref<f32>,
    %y: f32, %c: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'c' to have order 1 or 2, got 0}}
  tinytc.hadamard_product %x, %a, %b, %y, %c
    : f32, !tinytc.memref<f32>, !tinytc.memref<f32>, f32, !tinytc.memref<f32>
}

// -----

tinytc.func @hadamard_product_c2(%x: f32, %a: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<8x4xf32>,
    %y: f32, %c: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected 'b' to have shape (4, 8), got (8, 4)}}
  tinytc.hadamard_product %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8x4xf32>, f32, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @hadamard_product_c3(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<4xf64>,
    %y: f32, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'c' to have an element type that 'f64' is promotable to, got 'f32'}}
  tinytc.hadamard_product %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<4xf64>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @hadamard_product_c4(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<4xf32>,
    %y: f64, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'c', got 'f64'}}
  tinytc.hadamard_product %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>, f64, !tinytc.memref<4xf32>
}

// -----

tinytc.func @hadamard_product_c5(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<4xf32>,
    %y: f32, %c: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.hadamard_product atomic %x, %a, %b, %y, %c
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}
