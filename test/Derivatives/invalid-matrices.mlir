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
    %x = tinytc.constant 1.0 : f32 -> !b
    %b = tinytc.arith.add %x, %x : !b
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

!a = !tinytc.coopmatrix<8x8xf32, matrix_a>
tinytc.func @scalar(%x: f32, %A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %c = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !a
    // expected-error @+1 {{it multiplies a matrix that is not matrix_acc}}
    %d = tinytc.cooperative_matrix_scale %x, %c : f32, !a
    tinytc.cooperative_matrix_store atomic_add %d, %C[%c0, %c0] : !a, !tinytc.memref<8x8xf32>
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
tinytc.func @order_of_updates(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !acc
    // expected-error @+1 {{its result depends on the order of updates}}
    %b = tinytc.cooperative_matrix_atomic_add n %a, %A[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
    tinytc.cooperative_matrix_store atomic_add %b, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @scan(%A: !tinytc.memref<8xf32>, %C: !tinytc.memref<f32>) {
  tinytc.parallel {
    %l = tinytc.builtin.subgroup_local_id : i32
    %i = tinytc.cast %l : i32 -> index
    %a = tinytc.load %A[%i] : !tinytc.memref<8xf32>
    // expected-error @+1 {{which of several values is in a scan is not known later}}
    %b = tinytc.subgroup_max inclusive_scan %a : f32
    tinytc.store atomic_add %b, %C[] : f32, !tinytc.memref<f32>
  }
}

// -----

!a = !tinytc.coopmatrix<8x8xf32, matrix_a>
tinytc.func @function_of_factor(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !a
    // expected-error @+1 {{its matrices are not matrix_acc}}
    %b = tinytc.cooperative_matrix_apply (%i, %j, %x) = %a : !a {
      %y = tinytc.arith.mul %x, %x : f32
      tinytc.yield %y : f32
    }
    tinytc.cooperative_matrix_store atomic_add %b, %C[%c0, %c0] : !a, !tinytc.memref<8x8xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @function_of_matrix(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !acc
    // expected-error @+1 {{its region takes a matrix from outside}}
    %b = tinytc.cooperative_matrix_apply (%i, %j, %x) = %a : !acc {
      %y = tinytc.cooperative_matrix_extract %a[0] : !acc -> f32
      tinytc.yield %y : f32
    }
    tinytc.cooperative_matrix_store atomic_add %b, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @function_that_loads(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !acc
    // expected-error @+1 {{its region loads what is differentiated}}
    %b = tinytc.cooperative_matrix_apply (%i, %j, %x) = %a : !acc {
      %y = tinytc.load %A[%c0, %c0] : !tinytc.memref<8x8xf32>
      tinytc.yield %y : f32
    }
    tinytc.cooperative_matrix_store atomic_add %b, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}

// -----

!acc = !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @function_that_writes(%A: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %c0 = tinytc.constant 0 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %A[%c0, %c0] : !tinytc.memref<8x8xf32> -> !acc
    // expected-error @+1 {{its region writes memory}}
    %b = tinytc.cooperative_matrix_apply (%i, %j, %x) = %a : !acc {
      tinytc.store atomic_add %x, %C[%c0, %c0] : f32, !tinytc.memref<8x8xf32>
      tinytc.yield %x : f32
    }
    tinytc.cooperative_matrix_store atomic_add %b, %C[%c0, %c0] : !acc, !tinytc.memref<8x8xf32>
  }
}
