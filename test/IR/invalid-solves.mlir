// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @solve_spd_c1(%0: !tinytc.memref<4xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #0 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.solve.spd l %0, %1
    : !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @solve_spd_c2(%0: !tinytc.memref<4x5xf32>, %1: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' to be square, got (4, 5)}}
  tinytc.solve.spd l %0, %1
    : !tinytc.memref<4x5xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @solve_spd_c3(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4x4xi32>) {
  // expected-error @+1 {{operand #1 must be vector or matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4x4xi32>'}}
  tinytc.solve.spd l %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xi32>
}

// -----

tinytc.func @solve_spd_c4(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<3xf32>) {
  // expected-error @+1 {{expected the rows of 'b' to equal the rows of 'a' = 4, got 3}}
  tinytc.solve.spd l %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<3xf32>
}

// -----

tinytc.func @solve_spd_c5(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4x4xf64>) {
  // expected-error @+1 {{expected 'a' and 'b' to have the same element type, got 'f32' and 'f64'}}
  tinytc.solve.spd l %0, %1
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf64>
}

// -----

tinytc.func @solve_spd_c6(%0: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.solve.spd l %0, %0
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @solve_spd_c7(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<1xi32>) {
  // expected-error @+1 {{operand #2 must be memref of order 0 of i32, but got '!tinytc.memref<1xi32>'}}
  tinytc.solve.spd l %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<1xi32>
}

// -----

tinytc.func @solve_lu_c1(%0: !tinytc.memref<4xf32>, %1: !tinytc.memref<4xi32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #0 must be matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4xf32>'}}
  tinytc.solve.lu %0, %1, %2
    : !tinytc.memref<4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @solve_lu_c2(%0: !tinytc.memref<4x5xf32>, %1: !tinytc.memref<4xi32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'a' to be square, got (4, 5)}}
  tinytc.solve.lu %0, %1, %2
    : !tinytc.memref<4x5xf32>, !tinytc.memref<4xi32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @solve_lu_c3(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xf32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{operand #1 must be vector of i32, but got '!tinytc.memref<4xf32>'}}
  tinytc.solve.lu %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @solve_lu_c4(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<5xi32>, %2: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected the size of 'piv' to equal the rows of 'a' = 4, got 5}}
  tinytc.solve.lu %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<5xi32>, !tinytc.memref<4xf32>
}

// -----

tinytc.func @solve_lu_c5(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xi32>, %2: !tinytc.memref<4x4xi32>) {
  // expected-error @+1 {{operand #2 must be vector or matrix of f32, f64, c32 or c64, but got '!tinytc.memref<4x4xi32>'}}
  tinytc.solve.lu %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<4x4xi32>
}

// -----

tinytc.func @solve_lu_c6(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xi32>, %2: !tinytc.memref<3xf32>) {
  // expected-error @+1 {{expected the rows of 'b' to equal the rows of 'a' = 4, got 3}}
  tinytc.solve.lu %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<3xf32>
}

// -----

tinytc.func @solve_lu_c7(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xi32>, %2: !tinytc.memref<4x4xf64>) {
  // expected-error @+1 {{expected 'a' and 'b' to have the same element type, got 'f32' and 'f64'}}
  tinytc.solve.lu %0, %1, %2
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<4x4xf64>
}

// -----

tinytc.func @solve_lu_c8(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xi32>) {
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.solve.lu %0, %1, %0
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @solve_lu_c9(%0: !tinytc.memref<4x4xf32>, %1: !tinytc.memref<4xi32>, %2: !tinytc.memref<4xf32>, %3: !tinytc.memref<1xi32>) {
  // expected-error @+1 {{operand #3 must be memref of order 0 of i32, but got '!tinytc.memref<1xi32>'}}
  tinytc.solve.lu %0, %1, %2, %3
    : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<4xf32>, !tinytc.memref<1xi32>
}
