// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @arith_binary_c1(%a: i32, %b: i64) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "tinytc.arith.add"(%a, %b) : (i32, i64) -> i32
}

// -----

tinytc.func @arith_binary_c2(%a: i1) {
  // expected-error @+1 {{operand #0 must be scalar or coopmatrix type, but got 'i1'}}
  %0 = tinytc.arith.add %a, %a : i1
}

// -----

tinytc.func @arith_binary_c2_rem(%a: complex<f32>) {
  // expected-error @+1 {{operand #0 must be real scalar type or coopmatrix of real scalar type, but got 'complex<f32>'}}
  %0 = tinytc.arith.rem %a, %a : complex<f32>
}

// -----

tinytc.func @arith_binary_c2_min() {
  %c = tinytc.constant [1.0 : f32, 0.0 : f32]
    -> !tinytc.coopmatrix<8x8xcomplex<f32>, matrix_acc>
  // expected-error @+1 {{operand #0 must be real scalar type or coopmatrix of real scalar type, but got '!tinytc.coopmatrix<8x8xcomplex<f32>, matrix_acc>'}}
  %0 = tinytc.arith.min %c, %c : !tinytc.coopmatrix<8x8xcomplex<f32>, matrix_acc>
}

// -----

tinytc.func @arith_binary_c2_shl(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer type or coopmatrix of integer type, but got 'f32'}}
  %0 = tinytc.arith.shl %a, %a : f32
}

// -----

tinytc.func @arith_binary_c2_and(%a: f32) {
  // expected-error @+1 {{operand #0 must be boolean or integer type or coopmatrix of integer type, but got 'f32'}}
  %0 = tinytc.arith.and %a, %a : f32
}

// -----

tinytc.func @arith_unary_c1(%a: complex<f64>) {
  // expected-error @+1 {{failed to verify that result has the component type of a complex operand}}
  %0 = "tinytc.arith.abs"(%a) : (complex<f64>) -> f32
}

// -----

tinytc.func @arith_unary_c1_neg(%a: f64) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "tinytc.arith.neg"(%a) : (f64) -> f32
}

// -----

tinytc.func @arith_unary_c2(%a: f32) {
  // expected-error @+1 {{operand #0 must be complex type or coopmatrix of complex type, but got 'f32'}}
  %0 = tinytc.arith.conj %a : f32
}

// -----

tinytc.func @arith_unary_c2_abs(%a: i1) {
  // expected-error @+1 {{'a' must be scalar or coopmatrix type, but got 'i1'}}
  %0 = tinytc.arith.abs %a : i1
}

// -----

tinytc.func @arith_unary_c2_not(%a: f32) {
  // expected-error @+1 {{operand #0 must be boolean or integer type or coopmatrix of integer type, but got 'f32'}}
  %0 = tinytc.arith.not %a : f32
}

// -----

tinytc.func @math_c1(%a: f32) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "tinytc.math.exp"(%a) : (f32) -> f64
}

// -----

tinytc.func @math_c2(%a: i32) {
  // expected-error @+1 {{operand #0 must be floating or complex type, but got 'i32'}}
  %0 = tinytc.math.exp %a : i32
}

// -----

tinytc.func @math_c2_complex(%a: complex<f32>) {
  // expected-error @+1 {{operand #0 must be floating type (bf16, f16, f32, f64), but got 'complex<f32>'}}
  %0 = tinytc.native_sin %a : complex<f32>
}

// -----

tinytc.func @cmp_c1(%a: i32, %b: i64) {
  // expected-error @+1 {{failed to verify that all of {a, b} have same type}}
  %0 = "tinytc.cmp.eq"(%a, %b) : (i32, i64) -> i1
}

// -----

tinytc.func @cmp_c2(%a: complex<f32>) {
  // expected-error @+1 {{operand #0 must be real scalar type, but got 'complex<f32>'}}
  %0 = tinytc.cmp.lt %a, %a : complex<f32>
}

// -----

tinytc.func @cmp_c2_bool(%a: i1) {
  // expected-error @+1 {{operand #0 must be scalar type, but got 'i1'}}
  %0 = tinytc.cmp.eq %a, %a : i1
}

// -----

tinytc.func @cast_c1(%a: f32) {
  // expected-error @+1 {{expected a cast between two scalars or two coopmatrices, got 'f32' and '!tinytc.coopmatrix<8x8xf32, matrix_acc>'}}
  %0 = tinytc.cast %a : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
}

// -----

tinytc.func @cast_c2() {
  %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
  // expected-error @+1 {{expected 'result' to have the shape of 'a', got '!tinytc.coopmatrix<8x8xf32, matrix_acc>' and '!tinytc.coopmatrix<8x4xf32, matrix_a>'}}
  %0 = tinytc.cast %c : !tinytc.coopmatrix<8x8xf32, matrix_acc>
    -> !tinytc.coopmatrix<8x4xf32, matrix_a>
}

// -----

tinytc.func @cast_c3(%a: complex<f32>) {
  // expected-error @+1 {{expected a complex result of a complex operand, got 'complex<f32>' and 'f32'}}
  %0 = tinytc.cast %a : complex<f32> -> f32
}

// -----

tinytc.func @constant_c1() {
  // expected-error @+1 {{expected a constant of type 'f32', got 1 : i32}}
  %0 = tinytc.constant 1 : i32 -> f32
}

// -----

tinytc.func @constant_c1_complex() {
  // expected-error @+1 {{expected a constant of type 'complex<f32>', got [1.000000e+00, 0.000000e+00]}}
  %0 = tinytc.constant [1.0 : f64, 0.0 : f64] -> complex<f32>
}

// -----

tinytc.func @constant_c1_matrix() {
  // expected-error @+1 {{expected a constant of type 'f32', got 1.000000e+00 : f16}}
  %0 = tinytc.constant 1.0 : f16 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
}

// -----

tinytc.func @constant_c2() {
  // expected-error @+1 {{expected integers of at least -2^63 + 1, got -2^63}}
  %0 = tinytc.constant -9223372036854775808 : i64
}

// -----

tinytc.func @constant_c2_element() {
  // expected-error @+1 {{expected integers of at least -2^63 + 1, got -2^63}}
  %0 = tinytc.constant dense<[0, -9223372036854775808]> : tensor<2xindex>
    -> !tinytc.memref<2xindex>
}

// -----

tinytc.func @constant_c3() {
  // expected-error @+1 {{expected a memref of static shape, of the packed layout and in the global address space, got '!tinytc.memref<2x2xf32, strided<1,4>>'}}
  %0 = tinytc.constant dense<1.0> : tensor<2x2xf32>
    -> !tinytc.memref<2x2xf32, strided<1, 4>>
}

// -----

tinytc.func @constant_c3_value() {
  // expected-error @+1 {{expected a dense value of type 'tensor<2x2xf32>', got tensor<4xf32>}}
  %0 = tinytc.constant dense<1.0> : tensor<4xf32> -> !tinytc.memref<2x2xf32>
}

// -----

tinytc.func @constant_c4(%x: f32) {
  // expected-note @+1 {{the constant is here}}
  %0 = tinytc.constant dense<1.0> : tensor<4xf32> -> !tinytc.memref<4xf32>
  %1 = tinytc.subview %0[1 : 2] : !tinytc.memref<4xf32> -> !tinytc.memref<2xf32>
  %i = tinytc.constant 0 : index
  // expected-error @+1 {{expected memory that may be written, got a constant}}
  tinytc.store %x, %1[%i] : f32, !tinytc.memref<2xf32>
}

// -----

tinytc.func @constant_syntax() {
  // expected-error @+1 {{expected `-> type` after a constant without type, got none}}
  %0 = tinytc.constant [1.0 : f32, 0.0 : f32]
}

// -----

tinytc.func @builtin_c1() {
  // expected-error @+1 {{result #0 must be index, but got 'i32'}}
  %0 = "tinytc.builtin.group_id"() : () -> i32
}

// -----

tinytc.func @bitcast_c1(%a: f32) {
  tinytc.parallel {
    // expected-error @+1 {{expected a cast between two scalars or two coopmatrices, got 'f32' and '!tinytc.coopmatrix<8x4xi32, matrix_a>'}}
    %0 = tinytc.bitcast %a : f32 -> !tinytc.coopmatrix<8x4xi32, matrix_a>
  }
}

// -----

tinytc.func @bitcast_c2() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // expected-error @+1 {{expected 'result' to have the shape of 'a', got '!tinytc.coopmatrix<8x4xf32, matrix_acc>' and '!tinytc.coopmatrix<8x8xi32, matrix_acc>'}}
    %0 = tinytc.bitcast %a : !tinytc.coopmatrix<8x4xf32, matrix_acc> -> !tinytc.coopmatrix<8x8xi32, matrix_acc>
  }
}

// -----

tinytc.func @bitcast_c2_use() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    // expected-error @+1 {{expected 'result' to have the use of 'a', unless that is matrix_acc, got '!tinytc.coopmatrix<8x4xf32, matrix_a>' and '!tinytc.coopmatrix<8x4xi32, matrix_b>'}}
    %0 = tinytc.bitcast %a : !tinytc.coopmatrix<8x4xf32, matrix_a> -> !tinytc.coopmatrix<8x4xi32, matrix_b>
  }
}

// -----

tinytc.func @bitcast_c3(%a: f16) {
  // expected-error @+1 {{expected an integer and a floating type of as many bits, or i64 and c32, got 'f16' and 'bf16'}}
  %0 = tinytc.bitcast %a : f16 -> bf16
}
