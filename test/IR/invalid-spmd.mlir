// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @cooperative_matrix_load_c1(%A: !tinytc.memref<8xf32>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected 'source' to have order 2, got 1}}
    %0 = tinytc.cooperative_matrix_load n %A[%i, %i]
      : !tinytc.memref<8xf32> -> !tinytc.coopmatrix<8x16xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_load_c2(%A: !tinytc.memref<8x8xf64>, %i: index) {
  tinytc.parallel {
    // expected-error @+1 {{expected 'source' to have the component type 'f32' of the matrix as element type, got 'f64'}}
    %0 = tinytc.cooperative_matrix_load n %A[%i, %i]
      : !tinytc.memref<8x8xf64> -> !tinytc.coopmatrix<8x16xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_store_c1(%A: !tinytc.memref<8x8x8xf32>, %i: index) {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    // expected-error @+1 {{expected 'dest' to have order 2, got 3}}
    tinytc.cooperative_matrix_store %a, %A[%i, %i]
      : !tinytc.coopmatrix<8x16xf32, matrix_a>, !tinytc.memref<8x8x8xf32>
  }
}

// -----

tinytc.func @cooperative_matrix_store_c2(%A: !tinytc.memref<8x8xf64>, %i: index) {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    // expected-error @+1 {{expected 'dest' to have the component type 'f32' of the matrix as element type, got 'f64'}}
    tinytc.cooperative_matrix_store %a, %A[%i, %i]
      : !tinytc.coopmatrix<8x16xf32, matrix_a>, !tinytc.memref<8x8xf64>
  }
}

// -----

tinytc.func @cooperative_matrix_scale_c1(%x: f64) {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    // expected-error @+1 {{expected 'scalar' to have the component type 'f32' of 'matrix', got 'f64'}}
    %0 = tinytc.cooperative_matrix_scale %x, %a : f64, !tinytc.coopmatrix<8x16xf32, matrix_a>
  }
}

// -----

tinytc.func @cooperative_matrix_scale_c2(%x: f32) {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    // expected-error @+1 {{failed to verify that all of {matrix, result} have same type}}
    %0 = "tinytc.cooperative_matrix_scale"(%x, %a)
      : (f32, !tinytc.coopmatrix<8x16xf32, matrix_a>) -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c1() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x4xf32, matrix_a>
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // expected-error @+1 {{expected 'b' to have use matrix_b, got matrix_a}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xf32, matrix_a>,
        !tinytc.coopmatrix<16x4xf32, matrix_a>,
        !tinytc.coopmatrix<8x4xf32, matrix_acc>
      -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c2() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_b>
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // expected-error @+1 {{expected the rows of 'b' to equal the columns of 'a' = 16, got 8}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xf32, matrix_a>,
        !tinytc.coopmatrix<8x4xf32, matrix_b>,
        !tinytc.coopmatrix<8x4xf32, matrix_acc>
      -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c3() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x4xf32, matrix_b>
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<4x4xf32, matrix_acc>
    // expected-error @+1 {{expected the rows of 'c' to equal the rows of 'a' = 8, got 4}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xf32, matrix_a>,
        !tinytc.coopmatrix<16x4xf32, matrix_b>,
        !tinytc.coopmatrix<4x4xf32, matrix_acc>
      -> !tinytc.coopmatrix<4x4xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c3_columns() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x4xf32, matrix_b>
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
    // expected-error @+1 {{expected the columns of 'c' to equal the columns of 'b' = 4, got 8}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xf32, matrix_a>,
        !tinytc.coopmatrix<16x4xf32, matrix_b>,
        !tinytc.coopmatrix<8x8xf32, matrix_acc>
      -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c4() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x4xf32, matrix_b>
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // expected-error @+1 {{expected 'result' to have the shape (8, 4) of 'c', got (4, 8)}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xf32, matrix_a>,
        !tinytc.coopmatrix<16x4xf32, matrix_b>,
        !tinytc.coopmatrix<8x4xf32, matrix_acc>
      -> !tinytc.coopmatrix<4x8xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c5() {
  tinytc.parallel {
    %a = tinytc.constant 1 : i64 -> !tinytc.coopmatrix<8x16xi64, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x4xf32, matrix_b>
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // expected-error @+1 {{expected 'a' and 'b' to have component types of which one is promotable to the other, got 'i64' and 'f32'}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xi64, matrix_a>,
        !tinytc.coopmatrix<16x4xf32, matrix_b>,
        !tinytc.coopmatrix<8x4xf32, matrix_acc>
      -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c5_result() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f64 -> !tinytc.coopmatrix<8x16xf64, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x4xf32, matrix_b>
    %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // expected-error @+1 {{expected 'c' to have a component type that 'f64' is promotable to, got 'f32'}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xf64, matrix_a>,
        !tinytc.coopmatrix<16x4xf32, matrix_b>,
        !tinytc.coopmatrix<8x4xf32, matrix_acc>
      -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
  }
}

// -----

tinytc.func @cooperative_matrix_mul_add_c6() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_a>
    %b = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x4xf32, matrix_b>
    %c = tinytc.constant [1.0 : f32, 0.0 : f32] -> !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_acc>
    // expected-error @+1 {{expected 'result' to have a component type that 'complex<f32>' can be cast to, got 'f32'}}
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
      : !tinytc.coopmatrix<8x16xf32, matrix_a>,
        !tinytc.coopmatrix<16x4xf32, matrix_b>,
        !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_acc>
      -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
  }
}

// -----

tinytc.func @subgroup_broadcast_c1(%x: f32, %lane: i32) {
  tinytc.parallel {
    // expected-error @+1 {{failed to verify that all of {a, result} have same type}}
    %0 = "tinytc.subgroup_broadcast"(%x, %lane) : (f32, i32) -> f64
  }
}

// -----

tinytc.func @subgroup_broadcast_c2(%x: f32, %lane: index) {
  tinytc.parallel {
    // expected-error @+1 {{operand #1 must be 32-bit signless integer, but got 'index'}}
    %0 = "tinytc.subgroup_broadcast"(%x, %lane) : (f32, index) -> f32
  }
}

// -----

tinytc.func @subgroup_operation_c1(%x: f32) {
  tinytc.parallel {
    // expected-error @+1 {{requires the same type for all operands and results}}
    %0 = "tinytc.subgroup_add"(%x) <{mode = #tinytc<group_operation reduce>}>
      : (f32) -> f64
  }
}

// -----

tinytc.func @subgroup_operation_c2(%x: complex<f32>) {
  tinytc.parallel {
    // expected-error @+1 {{operand #0 must be real scalar type, but got 'complex<f32>'}}
    %0 = tinytc.subgroup_max reduce %x : complex<f32>
  }
}
