// RUN: tinytc-opt %s --tinytc-check-zeros --split-input-file --verify-diagnostics

tinytc.func @product(%A: !tinytc.memref<8x8xf32>, %B: !tinytc.memref<8x8xf32>,
                     %C: !tinytc.memref<8x8xf32> {tinytc.nonzero = [array<i64: 0, 4, 0, 8>]}) {
  %one = tinytc.constant 1.0 : f32
  // expected-error @+1 {{expected a product that is zero where 'nonzero' of 'C' says so, got one with elements [4:8, 0:8]: add their box to 'nonzero', or write a view of the boxes}}
  tinytc.gemm n n %one, %A, %B, %one, %C
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
}

// -----

tinytc.func @element(%x: f32, %C: !tinytc.memref<8xf32> {tinytc.nonzero = [array<i64: 0, 4>]}) {
  %i = tinytc.constant 5 : index
  // expected-error @+1 {{expected an element within 'nonzero' of 'C', got [5:6]: add its box to 'nonzero', or store a zero}}
  tinytc.store %x, %C[%i] : f32, !tinytc.memref<8xf32>
}

// -----

// Row 5 is outside of all boxes, whatever the column is.
tinytc.func @element_of_a_row(%x: f32, %j: index,
    %C: !tinytc.memref<8x8xf32> {tinytc.nonzero = [array<i64: 0, 4, 0, 8>]}) {
  %i = tinytc.constant 5 : index
  // expected-error @+1 {{expected an element within 'nonzero' of 'C', got [5:6, 0:8]: add its box to 'nonzero', or store a zero}}
  tinytc.store %x, %C[%i, %j] : f32, !tinytc.memref<8x8xf32>
}

// -----

tinytc.func @atomic(%x: f32, %C: !tinytc.memref<8xf32> {tinytc.nonzero = [array<i64: 0, 4>]}) {
  %i = tinytc.constant 4 : index
  // expected-error @+1 {{expected an element within 'nonzero' of 'C', got [4:5]: add its box to 'nonzero', or store a zero}}
  %0 = tinytc.atomic_add %x, %C[%i] : f32, !tinytc.memref<8xf32>
}

// -----

tinytc.func @matrix(%C: !tinytc.memref<16x16xf32> {tinytc.nonzero = [array<i64: 0, 16, 0, 12>]}) {
  tinytc.parallel {
    %i = tinytc.constant 8 : index
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_acc>
    // expected-error @+1 {{expected a block within 'nonzero' of 'C', got [8:16, 12:16]: add its box to 'nonzero', or store a matrix of zeros}}
    tinytc.cooperative_matrix_store t rows_checked %c, %C[%i, %i]
      : !tinytc.coopmatrix<8x16xf32, matrix_acc>, !tinytc.memref<16x16xf32>
  }
}

// -----

tinytc.func @atomic_matrix(%C: !tinytc.memref<16x16xf32> {tinytc.nonzero = [array<i64: 0, 16, 0, 8>]}) {
  tinytc.parallel {
    %i = tinytc.constant 8 : index
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
    // expected-error @+1 {{expected a block within 'nonzero' of 'C', got [8:16, 8:16]: add its box to 'nonzero', or store a matrix of zeros}}
    %0 = tinytc.cooperative_matrix_atomic_add n %c, %C[%i, %i]
      : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<16x16xf32>
  }
}

// -----

tinytc.func @cholesky(%A: !tinytc.memref<8x8xf64> {tinytc.nonzero = [array<i64: 0, 8, 0, 4>, array<i64: 5, 8, 4, 8>]}) {
  // expected-error @+1 {{expected 'nonzero' of 'A' to have the elements that may be filled, got one without [4:5, 4:5]: add their box to 'nonzero', or pass a view of the boxes}}
  tinytc.cholesky l %A : !tinytc.memref<8x8xf64>
}

// -----

tinytc.func @lu(%A: !tinytc.memref<8x8xf64> {tinytc.nonzero = [array<i64: 0, 8, 0, 4>, array<i64: 4, 8, 4, 8>]}) {
  // expected-error @+1 {{expected 'nonzero' of 'A' to have the elements that may be filled, got one without [0:4, 4:8]}}
  tinytc.lu %A : !tinytc.memref<8x8xf64>
}

// -----

tinytc.func @right_side(%one: f64, %A: !tinytc.memref<8x8xf64>,
                        %B: !tinytc.memref<8x6xf64> {tinytc.nonzero = [array<i64: 2, 8, 0, 4>]}) {
  // expected-error @+1 {{expected 'nonzero' of 'B' to have the elements that may be filled, got one without [0:2, 0:4]}}
  tinytc.trsm l n %one, %A, %B : f64, !tinytc.memref<8x8xf64>, !tinytc.memref<8x6xf64>
}

// -----

tinytc.func @syrk(%one: f64, %A: !tinytc.memref<6x8xf64> {tinytc.nonzero = [array<i64: 0, 6, 4, 8>]},
                  %C: !tinytc.memref<8x8xf64> {tinytc.nonzero = [array<i64: 4, 8, 4, 7>]}) {
  // expected-error @+1 {{expected 'nonzero' of 'C' to have the elements that may be filled, got one without [7:8, 7:8]}}
  tinytc.syrk l t %one, %A, %one, %C
    : f64, !tinytc.memref<6x8xf64>, f64, !tinytc.memref<8x8xf64>
}

// -----

// Triangles, columns that are zero, blocks of zeros, and places that are not known.
tinytc.func @factors_that_are_kept(%one: f64, %i: index, %x: f64,
    %A: !tinytc.memref<4x4xf64> {tinytc.nonzero = [array<i64: 0, 4, 0, 2>, array<i64: 2, 4, 2, 4>]},
    %B: !tinytc.memref<4x6xf64> {tinytc.nonzero = [array<i64: 0, 4, 0, 4>]},
    %C: !tinytc.memref<16x16xf64> {tinytc.nonzero = [array<i64: 0, 8, 0, 8>]}) {
  tinytc.cholesky l %A : !tinytc.memref<4x4xf64>
  tinytc.trsm l n %one, %A, %B : f64, !tinytc.memref<4x4xf64>, !tinytc.memref<4x6xf64>
  %0 = tinytc.atomic_add %x, %C[%i, %i] : f64, !tinytc.memref<16x16xf64>
  tinytc.parallel {
    %eight = tinytc.constant 8 : index
    %zero = tinytc.constant 0.0 : f64 -> !tinytc.coopmatrix<8x8xf64, matrix_acc>
    %c = tinytc.constant 1.0 : f64 -> !tinytc.coopmatrix<8x8xf64, matrix_acc>
    tinytc.cooperative_matrix_store %zero, %C[%eight, %eight]
      : !tinytc.coopmatrix<8x8xf64, matrix_acc>, !tinytc.memref<16x16xf64>
    tinytc.cooperative_matrix_store %c, %C[%i, %i]
      : !tinytc.coopmatrix<8x8xf64, matrix_acc>, !tinytc.memref<16x16xf64>
  }
}

// -----

// A view of the boxes, and a zero, keep the promise.
tinytc.func @kept(%x: f32, %A: !tinytc.memref<4x8xf32>,
                  %C: !tinytc.memref<8x8xf32> {tinytc.nonzero = [array<i64: 0, 4, 0, 8>]}) {
  %i = tinytc.constant 5 : index
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  %0 = tinytc.subview %C[0:4, 0:8]
    : !tinytc.memref<8x8xf32> -> !tinytc.memref<4x8xf32, strided<1,8>>
  tinytc.axpby n %one, %A, %zero, %0
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32, strided<1,8>>
  tinytc.store %zero, %C[%i, %i] : f32, !tinytc.memref<8x8xf32>
}
