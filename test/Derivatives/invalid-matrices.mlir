// RUN: tinytc-opt %s --tinytc-adjoint=atomic --split-input-file --verify-diagnostics

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @several_subgroups(%A: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !acc
    // expected-error @+1 {{several subgroups of a parallel region may write the matrix}}
    tinytc.cooperative_matrix_store %m, %A[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
!b = !tinytc.coopmatrix<8x8xf32, matrix_b>
!a = !tinytc.coopmatrix<8x8xf32, matrix_a>
tinytc.func @not_loaded(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !a
    %b = tinytc.constant 1.0 : f32 -> !b
    %c = tinytc.constant 1.0 : f32 -> !acc
    // expected-error @+1 {{the transpose of a factor that is not loaded from memory, or is overwritten, is not known}}
    %d = tinytc.cooperative_matrix_mul_add %a, %b, %c : !a, !b, !acc -> !acc
    tinytc.cooperative_matrix_store atomic_add %d, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x3xf32, matrix_acc>
!a = !tinytc.coopmatrix<8x8xf32, matrix_a>
!b = !tinytc.coopmatrix<8x3xf32, matrix_b>
tinytc.func @three_rows(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x3xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !a
    %b = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !b
    %c = tinytc.constant 1.0 : f32 -> !acc
    // expected-error @+1 {{the transpose of a factor has a number of rows that is not a power of two}}
    %d = tinytc.cooperative_matrix_mul_add %a, %b, %c : !a, !b, !acc -> !acc
    tinytc.cooperative_matrix_store atomic_add %d, %C[%c0, %c0] : !acc, !tinytc.memref<8x3xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf64, matrix_acc>
!b = !tinytc.coopmatrix<8x8xf32, matrix_b>
!a = !tinytc.coopmatrix<8x8xf32, matrix_a>
tinytc.func @types(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf64>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !a
    %b = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !b
    %c = tinytc.constant 1.0 : f64 -> !acc
    // expected-error @+1 {{the components of its matrices have several types}}
    %d = tinytc.cooperative_matrix_mul_add %a, %b, %c : !a, !b, !acc -> !acc
    tinytc.cooperative_matrix_store atomic_add %d, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf64>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @scalar(%x: f32, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %c = tinytc.constant 1.0 : f32 -> !acc
    // expected-error @+1 {{the adjoint of a scalar is not computed from a matrix}}
    %d = tinytc.cooperative_matrix_scale %x, %c : f32, !acc
    tinytc.cooperative_matrix_store atomic_add %d, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}

// -----

!a = !tinytc.coopmatrix<8x8xf32, matrix_a>
tinytc.func @factors(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !a
    // expected-error @+1 {{it multiplies matrices that are not matrix_acc}}
    %b = tinytc.arith.mul %a, %a : !a
    tinytc.cooperative_matrix_store atomic_add %b, %C[%c0, %c0] : !a, !tinytc.memref<8x8xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @extremum(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !acc
    // expected-error @+1 {{its derivative is not defined for cooperative matrices}}
    %b = tinytc.arith.min %a, %a : !acc
    tinytc.cooperative_matrix_store atomic_add %b, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}
