// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @axpby_c1(%x: f32, %a: !tinytc.memref<4x8xf32>,
    %y: f32, %b: !tinytc.memref<8x4xf32>) {
  // expected-error @+1 {{expected 'b' to have shape (4, 8), got (8, 4)}}
  tinytc.axpby n %x, %a, %y, %b
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<8x4xf32>
}

// -----

tinytc.func @axpby_c1_transposed(%x: f32, %a: !tinytc.memref<?x8xf32>,
    %y: f32, %b: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected 'b' to have shape (8, ?), got (4, 8)}}
  tinytc.axpby t %x, %a, %y, %b
    : f32, !tinytc.memref<?x8xf32>, f32, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @axpby_c2(%x: f32, %a: !tinytc.memref<4x8x2xf32>,
    %y: f32, %b: !tinytc.memref<4x8x2xf32>) {
  // expected-error @+1 {{expected 'b' to have order 0, 1 or 2, got 3}}
  tinytc.axpby n %x, %a, %y, %b
    : f32, !tinytc.memref<4x8x2xf32>, f32, !tinytc.memref<4x8x2xf32>
}

// -----

tinytc.func @axpby_c3(%x: f64, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.axpby n %x, %a, %y, %b
    : f64, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @axpby_c3_result(%x: f32, %a: !tinytc.memref<4xf64>,
    %y: f32, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'b' to have an element type that 'f64' is promotable to, got 'f32'}}
  tinytc.axpby n %x, %a, %y, %b
    : f32, !tinytc.memref<4xf64>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @axpby_c4(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f64, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'b', got 'f64'}}
  tinytc.axpby n %x, %a, %y, %b
    : f32, !tinytc.memref<4xf32>, f64, !tinytc.memref<4xf32>
}

// -----

tinytc.func @axpby_c5(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.axpby n atomic %x, %a, %y, %b
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @axpby_c5_value(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<4xf32>) {
  %y = tinytc.constant 2.0 : f32
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got 2.000000e+00 : f32}}
  tinytc.axpby n atomic %x, %a, %y, %b
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @cumsum_c1(%x: f32, %a: !tinytc.memref<f32>,
    %y: f32, %b: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'a' to have order 1 or higher, got 0}}
  tinytc.cumsum %x, %a, 0, %y, %b
    : f32, !tinytc.memref<f32>, f32, !tinytc.memref<f32>
}

// -----

tinytc.func @cumsum_c2(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected the mode to be at least 0 and less than the order 1, got 1}}
  tinytc.cumsum %x, %a, 1, %y, %b
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @cumsum_c3(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected 'b' to have shape (4), got (8)}}
  tinytc.cumsum %x, %a, 0, %y, %b
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<8xf32>
}

// -----

tinytc.func @cumsum_c4(%x: f64, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.cumsum %x, %a, 0, %y, %b
    : f64, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @cumsum_c5(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f64, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'b', got 'f64'}}
  tinytc.cumsum %x, %a, 0, %y, %b
    : f32, !tinytc.memref<4xf32>, f64, !tinytc.memref<4xf32>
}

// -----

tinytc.func @cumsum_c6(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.cumsum atomic %x, %a, 0, %y, %b
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @sum_c1(%x: f32, %a: !tinytc.memref<4x8xf32>,
    %y: f32, %b: !tinytc.memref<4x8xf32>) {
  // expected-error @+1 {{expected 'b' to have order 0 or 1, got 2}}
  tinytc.sum n %x, %a, %y, %b
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @sum_c2(%x: f32, %a: !tinytc.memref<4x8xf32>,
    %y: f32, %b: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'a' to have order 1, got 2}}
  tinytc.sum n %x, %a, %y, %b
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<f32>
}

// -----

tinytc.func @sum_c3(%x: f32, %a: !tinytc.memref<4x8xf32>,
    %y: f32, %b: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected the rows of 'b' to equal the rows of op('a') = 8, got 4}}
  tinytc.sum t %x, %a, %y, %b
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @sum_c4(%x: f64, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.sum n %x, %a, %y, %b
    : f64, !tinytc.memref<4xf32>, f32, !tinytc.memref<f32>
}

// -----

tinytc.func @sum_c5(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f64, %b: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'beta' to have a type that is promotable to the element type 'f32' of 'b', got 'f64'}}
  tinytc.sum n %x, %a, %y, %b
    : f32, !tinytc.memref<4xf32>, f64, !tinytc.memref<f32>
}

// -----

tinytc.func @sum_c6(%x: f32, %a: !tinytc.memref<4xf32>,
    %y: f32, %b: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'beta' of an atomic update to be a constant 0 or 1, got a value that is not constant}}
  tinytc.sum n atomic %x, %a, %y, %b
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<f32>
}
