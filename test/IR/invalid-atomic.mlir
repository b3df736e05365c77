// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @atomic_load_c1(%A: !tinytc.memref<4x4xf32>, %i: index) {
  // expected-error @+1 {{expected 2 indices, got 1}}
  %0 = tinytc.atomic_load %A[%i] : !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @atomic_load_c2(%A: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'result' to have the element type 'f32' of 'source', got 'f64'}}
  %0 = "tinytc.atomic_load"(%A) : (!tinytc.memref<f32>) -> f64
}

// -----

tinytc.func @atomic_load_c3(%A: !tinytc.memref<8xf32>) {
  %c = tinytc.constant 8 : index
  // expected-error @+1 {{expected the index of mode 0 to be at least 0 and less than its size 8, got 8}}
  %0 = tinytc.atomic_load %A[%c] : !tinytc.memref<8xf32>
}

// -----

tinytc.func @atomic_load_c4(%A: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected the semantics of an atomic load to be one of relaxed, acquire, sequentially_consistent, got release}}
  %0 = tinytc.atomic_load release %A[] : !tinytc.memref<f32>
}

// -----

tinytc.func @atomic_load_c4_both(%A: !tinytc.memref<f32>) {
  // expected-error @+1 {{sequentially_consistent, got acquire_release}}
  %0 = tinytc.atomic_load device acquire_release %A[] : !tinytc.memref<f32>
}

// -----

tinytc.func @atomic_load_of_a_group(%A: !tinytc.group<!tinytc.memref<8xf32> x ?>, %i: index) {
  // expected-error @+1 {{expected a memref, got '!tinytc.group<!tinytc.memref<8xf32> x ?>'}}
  %0 = tinytc.atomic_load %A[%i] : !tinytc.group<!tinytc.memref<8xf32> x ?>
}

// -----

tinytc.func @atomic_store_c1(%A: !tinytc.memref<f32>, %x: f64) {
  // expected-error @+1 {{expected 'value' to have the element type 'f32' of 'dest', got 'f64'}}
  tinytc.atomic_store %x, %A[] : f64, !tinytc.memref<f32>
}

// -----

tinytc.func @atomic_store_c2(%A: !tinytc.memref<f32>, %x: f32, %i: index) {
  // expected-error @+1 {{expected 0 indices, got 1}}
  tinytc.atomic_store %x, %A[%i] : f32, !tinytc.memref<f32>
}

// -----

tinytc.func @atomic_store_c3(%A: !tinytc.memref<?xf32>, %x: f32) {
  %c = tinytc.constant -1 : index
  // expected-error @+1 {{expected the index of mode 0 to be at least 0, got -1}}
  tinytc.atomic_store %x, %A[%c] : f32, !tinytc.memref<?xf32>
}

// -----

tinytc.func @atomic_store_c4(%A: !tinytc.memref<f32>, %x: f32) {
  // expected-error @+1 {{expected the semantics of an atomic store to be one of relaxed, release, sequentially_consistent, got acquire}}
  tinytc.atomic_store acquire %x, %A[] : f32, !tinytc.memref<f32>
}

// -----

tinytc.func @atomic_update_c1(%A: !tinytc.memref<f32>, %x: i32) {
  // expected-error @+1 {{expected 'value' to have the element type 'f32' of 'dest', got 'i32'}}
  %0 = tinytc.atomic_add %x, %A[] : i32, !tinytc.memref<f32>
}

// -----

tinytc.func @atomic_update_c2(%A: !tinytc.memref<4xf32>, %x: f32) {
  // expected-error @+1 {{expected 1 index, got 0}}
  %0 = tinytc.atomic_min %x, %A[] : f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @atomic_update_c3(%A: !tinytc.memref<4xf32>, %x: f32) {
  %c = tinytc.constant 4 : index
  // expected-error @+1 {{expected the index of mode 0 to be at least 0 and less than its size 4, got 4}}
  %0 = tinytc.atomic_max %x, %A[%c] : f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @atomic_update_c4(%A: !tinytc.memref<f32>, %x: f32) {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "tinytc.atomic_add"(%x, %A) : (f32, !tinytc.memref<f32>) -> f64
}

// -----

tinytc.func @atomic_update_c5(%A: !tinytc.memref<complex<f32>>, %x: complex<f32>) {
  // expected-error @+1 {{operand #0 must be real scalar type, but got 'complex<f32>'}}
  %0 = tinytc.atomic_min %x, %A[] : complex<f32>, !tinytc.memref<complex<f32>>
}

// -----

tinytc.func @cooperative_matrix_atomic_load_c1(%A: !tinytc.memref<8xf32>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected 'source' to have order 2, got 1}}
    %0 = tinytc.cooperative_matrix_atomic_load n %A[%i, %i]
      : !tinytc.memref<8xf32> -> !tinytc.coopmatrix<8x16xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_atomic_load_c2(%A: !tinytc.memref<8x8xf64>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected 'source' to have the component type 'f32' of the matrix as element type, got 'f64'}}
    %0 = tinytc.cooperative_matrix_atomic_load n %A[%i, %i]
      : !tinytc.memref<8x8xf64> -> !tinytc.coopmatrix<8x16xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_atomic_load_c3(%A: !tinytc.memref<8x8xf32>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected the semantics of an atomic load to be one of relaxed, acquire, sequentially_consistent, got release}}
    %0 = tinytc.cooperative_matrix_atomic_load n device release %A[%i, %i]
      : !tinytc.memref<8x8xf32> -> !tinytc.coopmatrix<8x8xf32, matrix_a>
  }
}

// -----

!matrix = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @cooperative_matrix_atomic_store_c1(%A: !tinytc.memref<8xf32>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !matrix
    // expected-error @+1 {{expected 'dest' to have order 2, got 1}}
    tinytc.cooperative_matrix_atomic_store n %m, %A[%i, %i] : !matrix, !tinytc.memref<8xf32>
  }
}

// -----

!matrix = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @cooperative_matrix_atomic_store_c2(%A: !tinytc.memref<8x8xf64>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !matrix
    // expected-error @+1 {{expected 'dest' to have the component type 'f32' of the matrix as element type, got 'f64'}}
    tinytc.cooperative_matrix_atomic_store n %m, %A[%i, %i] : !matrix, !tinytc.memref<8x8xf64>
  }
}

// -----

!matrix = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @cooperative_matrix_atomic_store_c3(%A: !tinytc.memref<8x8xf32>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !matrix
    // expected-error @+1 {{expected the semantics of an atomic store to be one of relaxed, release, sequentially_consistent, got acquire_release}}
    tinytc.cooperative_matrix_atomic_store n acquire_release %m, %A[%i, %i]
      : !matrix, !tinytc.memref<8x8xf32>
  }
}

// -----

!matrix = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @cooperative_matrix_atomic_update_c1(%A: !tinytc.memref<8xf32>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !matrix
    // expected-error @+1 {{expected 'dest' to have order 2, got 1}}
    %0 = tinytc.cooperative_matrix_atomic_add n %m, %A[%i, %i] : !matrix, !tinytc.memref<8xf32>
  }
}

// -----

!matrix = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @cooperative_matrix_atomic_update_c2(%A: !tinytc.memref<8x8xf64>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !matrix
    // expected-error @+1 {{expected 'dest' to have the component type 'f32' of the matrix as element type, got 'f64'}}
    %0 = tinytc.cooperative_matrix_atomic_max n %m, %A[%i, %i] : !matrix, !tinytc.memref<8x8xf64>
  }
}

// -----

!matrix = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @cooperative_matrix_atomic_update_c3(%A: !tinytc.memref<8x8xf32>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !matrix
    // expected-error @+1 {{failed to verify that all of {matrix, result} have same type}}
    %0 = "tinytc.cooperative_matrix_atomic_add"(%m, %A, %i, %i)
      {transpose = #tinytc<transpose n>}
      : (!matrix, !tinytc.memref<8x8xf32>, index, index) -> !tinytc.coopmatrix<8x8xf32, matrix_a>
  }
}

// -----

!matrix = !tinytc.coopmatrix<8x8xcomplex<f32>, matrix_acc>
tinytc.func @cooperative_matrix_atomic_update_c4(
    %A: !tinytc.memref<8x8xcomplex<f32>>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant [1.0 : f32, 0.0 : f32] -> !matrix
    // expected-error @+1 {{operand #0 must be coopmatrix of real scalar type, but got}}
    %0 = tinytc.cooperative_matrix_atomic_min n %m, %A[%i, %i]
      : !matrix, !tinytc.memref<8x8xcomplex<f32>>
  }
}

// -----

// expected-note @+1 {{collective region opened here}}
tinytc.func @cooperative_matrix_atomic_load_in_a_collective_region(
    %A: !tinytc.memref<8x8xf32>, %i: index) {
  // expected-error @+1 {{expected an SPMD region}}
  %0 = tinytc.cooperative_matrix_atomic_load n %A[%i, %i]
    : !tinytc.memref<8x8xf32> -> !tinytc.coopmatrix<8x8xf32, matrix_a>
}
