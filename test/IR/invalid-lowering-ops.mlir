// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @stride(%a: memref<4x3xcomplex<f32>, strided<[3, 1]>>) {
  // expected-error @below {{expected 'source' to have a first stride of 1, got 'memref<4x3xcomplex<f32>, strided<[3, 1]>>'}}
  %0 = tinytc.complex_parts %a : memref<4x3xcomplex<f32>, strided<[3, 1]>>
  return
}

// -----

func.func @no_mode(%a: memref<complex<f32>>) {
  // expected-error @below {{expected 'source' to have a first stride of 1, got 'memref<complex<f32>>'}}
  %0 = tinytc.complex_parts %a : memref<complex<f32>>
  return
}

// -----

func.func @real(%a: memref<4xf32>) {
  // expected-error @below {{must be memref of complex type}}
  %0 = tinytc.complex_parts %a : memref<4xf32>
  return
}

// -----

func.func @result(%a: memref<4xcomplex<f32>, strided<[1]>>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'memref<8xf32, strided<[1]>>' are incompatible with return type(s) of operation 'memref<4xf32>'}}
  %0 = "tinytc.complex_parts"(%a) : (memref<4xcomplex<f32>, strided<[1]>>) -> memref<4xf32>
  return
}

// -----

func.func @overflow(%a: memref<9223372036854775807xcomplex<f32>>) {
  // expected-error @below {{expected 'source' to have at most 2^63 - 1 parts along a mode, got 'memref<9223372036854775807xcomplex<f32>>'}}
  %0 = tinytc.complex_parts %a : memref<9223372036854775807xcomplex<f32>>
  return
}
