// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @math_c1(%a: f32, %b: f64) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "tinytc.pow"(%a, %b) : (f32, f64) -> f32
}

// -----

tinytc.func @math_c2(%a: complex<f32>) {
  // expected-error @+1 {{operand #0 must be floating type (bf16, f16, f32, f64), but got 'complex<f32>'}}
  %0 = tinytc.sqrt %a : complex<f32>
}

// -----

tinytc.func @math_c2_operands(%a: i32) {
  // expected-error @+1 {{operand #0 must be floating type (bf16, f16, f32, f64), but got 'i32'}}
  %0 = tinytc.fma %a, %a, %a : i32
}

// -----

tinytc.func @select_c1(%c: i1, %a: f32, %b: f64) {
  // expected-error @+1 {{failed to verify that all of {a, b, result} have same type}}
  %0 = "tinytc.select"(%c, %a, %b) : (i1, f32, f64) -> f32
}

// -----

tinytc.func @select_c2(%c: i1, %a: !tinytc.memref<f32>) {
  // expected-error @+1 {{operand #1 must be boolean or scalar type, but got '!tinytc.memref<f32>'}}
  %0 = tinytc.select %c, %a, %a : !tinytc.memref<f32>
}
