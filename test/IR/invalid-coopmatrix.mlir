// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @cooperative_matrix_apply_c1() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected 'result' to have the use of matrix 0, unless that is matrix_acc, got '!tinytc.coopmatrix<8x4xf32, matrix_a>' and '!tinytc.coopmatrix<8x4xf32, matrix_b>'}}
    %0 = "tinytc.cooperative_matrix_apply"(%a) ({
    ^bb0(%i: i32, %j: i32, %x: f32):
      tinytc.yield %x : f32
    }) : (!tinytc.coopmatrix<8x4xf32, matrix_a>) -> !tinytc.coopmatrix<8x4xf32, matrix_b>
  }
}

// -----

tinytc.func @cooperative_matrix_apply_c1_shape() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    %b = tinytc.constant 1 : i32 -> !tinytc.coopmatrix<8x8xi32, matrix_a>
    // expected-error @+1 {{expected 'result' to have the shape of matrix 1, got '!tinytc.coopmatrix<8x8xi32, matrix_a>' and '!tinytc.coopmatrix<8x4xf32, matrix_a>'}}
    %0 = tinytc.cooperative_matrix_apply (%i, %j, %x, %y) = %a, %b
        : !tinytc.coopmatrix<8x4xf32, matrix_a>, !tinytc.coopmatrix<8x8xi32, matrix_a>
        -> !tinytc.coopmatrix<8x4xf32, matrix_a> {
      tinytc.yield %x : f32
    }
  }
}

// -----

tinytc.func @cooperative_matrix_apply_c1_count() {
  tinytc.parallel {
    // expected-error @+1 {{expected one or more matrices, got none}}
    %0 = "tinytc.cooperative_matrix_apply"() ({
    ^bb0(%i: i32, %j: i32):
      tinytc.yield %i : i32
    }) : () -> !tinytc.coopmatrix<8x4xi32, matrix_b>
  }
}

// -----

tinytc.func @cooperative_matrix_apply_arrow() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    %0 = tinytc.cooperative_matrix_apply (%i, %j, %x, %y) = %a, %a
        : !tinytc.coopmatrix<8x4xf32, matrix_a>, !tinytc.coopmatrix<8x4xf32, matrix_a>
        // expected-error @+1 {{expected '->' and the type of the result}}
        {
      tinytc.yield %x : f32
    }
  }
}

// -----

tinytc.func @cooperative_matrix_apply_c2() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected a region that takes row, column and component of types ('i32', 'i32', 'f32'), got ('i32', 'f32')}}
    %0 = "tinytc.cooperative_matrix_apply"(%a) ({
    ^bb0(%i: i32, %x: f32):
      tinytc.yield %x : f32
    }) : (!tinytc.coopmatrix<8x4xf32, matrix_a>) -> !tinytc.coopmatrix<8x4xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_apply_c3() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-note @+1 {{values are returned from here}}
    %0 = tinytc.cooperative_matrix_apply (%i, %j, %x) = %a
        : !tinytc.coopmatrix<8x4xf32, matrix_a> {
      // expected-error @+1 {{expected values of types ('f32'), the results of 'tinytc.cooperative_matrix_apply', got ('i32')}}
      tinytc.yield %i : i32
    }
  }
}

// -----

tinytc.func @barrier_c1_apply() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-note @+1 {{SPMD region opened here}}
    %0 = tinytc.cooperative_matrix_apply (%i, %j, %x) = %a
        : !tinytc.coopmatrix<8x4xf32, matrix_a> {
      // expected-error @+1 {{expected a collective or parallel region around a barrier, got the region of 'tinytc.cooperative_matrix_apply'}}
      tinytc.barrier
      tinytc.yield %x : f32
    }
  }
}

// -----

tinytc.func @cooperative_matrix_construct_c1(%x: f64) {
  tinytc.parallel {
    // expected-error @+1 {{expected 'scalar' to have the component type 'f32' of 'result', got 'f64'}}
    %0 = tinytc.cooperative_matrix_construct %x
      : f64 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_extract_c1() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected 'result' to have the component type 'f32' of 'matrix', got 'f64'}}
    %0 = tinytc.cooperative_matrix_extract %a[0]
      : !tinytc.coopmatrix<8x4xf32, matrix_a> -> f64
  }
}

// -----

tinytc.func @cooperative_matrix_extract_c2_negative() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected the index to be at least 0, got -1}}
    %0 = tinytc.cooperative_matrix_extract %a[-1]
      : !tinytc.coopmatrix<8x4xf32, matrix_a> -> f32
  }
}

// -----

tinytc.func @cooperative_matrix_extract_c2() attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected the index to be less than 2, the number of components of '!tinytc.coopmatrix<8x4xf32, matrix_a>' that a work-item holds in a subgroup of 16, got 2}}
    %0 = tinytc.cooperative_matrix_extract %a[2]
      : !tinytc.coopmatrix<8x4xf32, matrix_a> -> f32
  }
}

// -----

tinytc.func @cooperative_matrix_insert_c1(%x: f64) {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected 'scalar' to have the component type 'f32' of 'matrix', got 'f64'}}
    %0 = tinytc.cooperative_matrix_insert %x, %a[0]
      : f64, !tinytc.coopmatrix<8x4xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_insert_c2(%x: f32) {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{failed to verify that all of {matrix, result} have same type}}
    %0 = "tinytc.cooperative_matrix_insert"(%x, %a) {index = 0 : i64}
      : (f32, !tinytc.coopmatrix<8x4xf32, matrix_a>) -> !tinytc.coopmatrix<8x5xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_insert_c3(%x: f32) attributes {subgroup_size = 4 : i32} {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected the index to be less than 8, the number of components}}
    %0 = tinytc.cooperative_matrix_insert %x, %a[8]
      : f32, !tinytc.coopmatrix<8x4xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_prefetch_c1(%A: !tinytc.memref<8xf32>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected 'source' to have order 2, got 1}}
    tinytc.cooperative_matrix_prefetch 0, %A[%i, %i], 8, 8 : !tinytc.memref<8xf32>
  }
}

// -----

tinytc.func @cooperative_matrix_prefetch_c2(%A: !tinytc.memref<8x8xf32>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected the level of the cache to be at least 0, got -1}}
    tinytc.cooperative_matrix_prefetch -1, %A[%i, %i], 8, 8 : !tinytc.memref<8x8xf32>
  }
}

// -----

tinytc.func @cooperative_matrix_prefetch_c3(%A: !tinytc.memref<8x8xf32>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected a block of a positive size, got 8x0}}
    tinytc.cooperative_matrix_prefetch 0, %A[%i, %i], 8, 0 : !tinytc.memref<8x8xf32>
  }
}

// -----

tinytc.func @cooperative_matrix_reduce_c1() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected 'result' to have the shape 1x4, got 8x1}}
    %0 = tinytc.cooperative_matrix_reduce_add column %a
      : !tinytc.coopmatrix<8x4xf32, matrix_a> -> !tinytc.coopmatrix<8x1xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_reduce_c2() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected 'result' to have component type and use of 'matrix', got '!tinytc.coopmatrix<8x1xf32, matrix_acc>' for '!tinytc.coopmatrix<8x4xf32, matrix_a>'}}
    %0 = tinytc.cooperative_matrix_reduce_min row %a
      : !tinytc.coopmatrix<8x4xf32, matrix_a> -> !tinytc.coopmatrix<8x1xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_reduce_c3() {
  tinytc.parallel {
    %a = tinytc.constant [1.0 : f32, 0.0 : f32]
      -> !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_a>
    // expected-error @+1 {{operand #0 must be coopmatrix of real scalar type}}
    %0 = tinytc.cooperative_matrix_reduce_max row %a
      : !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_a>
      -> !tinytc.coopmatrix<8x1xcomplex<f32>, matrix_a>
  }
}

// -----

tinytc.func @cast_c2_use() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected 'result' to have the use of 'a', unless that is matrix_acc, got '!tinytc.coopmatrix<8x4xf32, matrix_a>' and '!tinytc.coopmatrix<8x4xf32, matrix_b>'}}
    %0 = tinytc.cast %a : !tinytc.coopmatrix<8x4xf32, matrix_a>
      -> !tinytc.coopmatrix<8x4xf32, matrix_b>
  }
}

// -----

tinytc.func @arith_binary_c2_shift_of_numbers() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{operand #0 must be integer type or coopmatrix of integer type}}
    %0 = tinytc.arith.shl %a, %a : !tinytc.coopmatrix<8x4xf32, matrix_a>
  }
}

// -----

tinytc.func @names() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected names for row, column and component, got 2 names}}
    %0 = tinytc.cooperative_matrix_apply (%i, %j) = %a
        : !tinytc.coopmatrix<8x4xf32, matrix_a> {
      tinytc.yield %i : i32
    }
  }
}
