// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @trmm_c1(%0: f32, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #1 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.trmm l n %0, %1, %2
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trmm_c2(%0: f32, %1: !tinytc.memref<4x5xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' to be square, got (4, 5)}}
  tinytc.trmm l n %0, %1, %2
    : f32, !tinytc.memref<4x5xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trmm_c3(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4xi32>) {
  // expected-error @+1 {{operand #2 must be vector or matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xi32>'}}
  tinytc.trmm l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>
}

// -----

tinytc.func @trmm_c4(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'b' to have order 2, got 1}}
  tinytc.trmm right l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trmm_c5(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4x3xf32>) {
  // expected-error @+1 {{expected the columns of 'b' to equal the rows of 'a' = 4, got 3}}
  tinytc.trmm right l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4x3xf32>
}

// -----

tinytc.func @trmm_c6(%0: f32, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4xf64>) {
  // expected-error @+1 {{expected 'a' and 'b' to have the same element type, got 'f32' and 'f64'}}
  tinytc.trmm l n %0, %1, %2
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4xf64>
}

// -----

tinytc.func @trmm_c7(%0: f64, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'alpha' to have a type that is promotable to 'f32', got 'f64'}}
  tinytc.trmm l n %0, %1, %2
    : f64, !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @trmm_c8(%0: f32, %1: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.trmm l n %0, %1, %1
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @qr_c1(%0: !tinytc.memref<4xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #0 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.qr %0, %1
    : !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @qr_c2(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{operand #1 must be vector of f32, f64, c32 or c64, but got '!tinytc.memref<4x4xf32>'}}
  tinytc.qr %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @qr_c3(%0: !tinytc.memref<5x4xf32>, %1: !tinytc.memref<5xf32>) {
  // expected-error @+1 {{expected the size of 'tau' to equal the smaller size of 'a' = 4, got 5}}
  tinytc.qr %0, %1
    : !tinytc.memref<5x4xf32>, !tinytc.memref<5xf32>
}

// -----

tinytc.func @qr_c4(%0: !tinytc.memref<4x4xcomplex<f32>>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' and 'tau' to have the same element type, got 'complex<f32>' and 'f32'}}
  tinytc.qr %0, %1
    : !tinytc.memref<4x4xcomplex<f32>>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @qr_c5(%A: !tinytc.memref<4x4xf32>) {
  %tau = tinytc.subview %A[0:4, 1] : !tinytc.memref<4x4xf32> -> !tinytc.memref<4xf32>
  // expected-error @+1 {{expected 'tau' not to overlap 'a', got operands with common elements}}
  tinytc.qr %A, %tau : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @apply_q_c1(%0: !tinytc.memref<4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #0 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.apply_q n %0, %1, %2
    : !tinytc.memref<4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @apply_q_c2(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4x4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #1 must be vector of f32, f64, c32 or c64, but got '!tinytc.memref<4x4xf32>'}}
  tinytc.apply_q n %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @apply_q_c3(%0: !tinytc.memref<4x3xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected the size of 'tau' to equal the smaller size of 'a' = 3, got 4}}
  tinytc.apply_q n %0, %1, %2
    : !tinytc.memref<4x3xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @apply_q_c4(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf64>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' and 'tau' to have the same element type, got 'f32' and 'f64'}}
  tinytc.apply_q n %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf64>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @apply_q_c5(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<4xi32>) {
  // expected-error @+1 {{operand #2 must be vector or matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xi32>'}}
  tinytc.apply_q n %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4xi32>
}

// -----

tinytc.func @apply_q_c6(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'b' to have order 2, got 1}}
  tinytc.apply_q right n %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @apply_q_c7(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<3xf32>) {
  // expected-error @+1 {{expected the rows of 'b' to equal the rows of 'a' = 4, got 3}}
  tinytc.apply_q n %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<3xf32>
}

// -----

tinytc.func @apply_q_c8(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<4xf64>) {
  // expected-error @+1 {{expected 'a' and 'b' to have the same element type, got 'f32' and 'f64'}}
  tinytc.apply_q n %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4xf64>
}

// -----

tinytc.func @apply_q_c9(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.apply_q n %0, %1, %0
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @apply_q_c10(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'b' not to overlap 'tau', got operands with common elements}}
  tinytc.apply_q n %0, %1, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @eigh_c1(%0: !tinytc.memref<4xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #0 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.eigh l %0, %1
    : !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @eigh_c2(%0: !tinytc.memref<4x5xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' to be square, got (4, 5)}}
  tinytc.eigh l %0, %1
    : !tinytc.memref<4x5xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @eigh_c3(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xcomplex<f32>>) {
  // expected-error @+1 {{operand #1 must be vector of f32 or f64, but got '!tinytc.memref<4xcomplex<f32>>'}}
  tinytc.eigh l %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xcomplex<f32>>
}

// -----

tinytc.func @eigh_c4(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<3xf32>) {
  // expected-error @+1 {{expected the size of 'w' to equal the rows of 'a' = 4, got 3}}
  tinytc.eigh l %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<3xf32>
}

// -----

tinytc.func @eigh_c5(%0: !tinytc.memref<4x4xcomplex<f32>>, %1: !tinytc.memref<4xf64>) {
  // expected-error @+1 {{expected 'w' to have elements of type 'f32', got 'f64'}}
  tinytc.eigh l %0, %1
    : !tinytc.memref<4x4xcomplex<f32>>, !tinytc.memref<4xf64>
}

// -----

tinytc.func @eigh_c6(%0: !tinytc.memref<65x65xf32>, %1: !tinytc.memref<65xf32>) {
  // expected-error @+1 {{expected 'a' to have at most 64 rows, got 65}}
  tinytc.eigh u %0, %1
    : !tinytc.memref<65x65xf32>, !tinytc.memref<65xf32>
}

// -----

tinytc.func @eigh_c7(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<1xi32>) {
  // expected-error @+1 {{operand #2 must be memref of order 0 of i32, but got '!tinytc.memref<1xi32>'}}
  tinytc.eigh l %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<1xi32>
}

// -----

tinytc.func @eigh_c8(%A: !tinytc.memref<4x4xf32>) {
  %w = tinytc.subview %A[0:4, 1] : !tinytc.memref<4x4xf32> -> !tinytc.memref<4xf32>
  // expected-error @+1 {{expected 'w' not to overlap 'a', got operands with common elements}}
  tinytc.eigh l %A, %w : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>
}
