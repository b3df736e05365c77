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

// -----

func.func @atomic_load_of_a_value(%a: memref<f32>, %x: f32) {
  // expected-error @below {{expected no value for an atomic load, got one}}
  %0 = tinytc.atomic load device relaxed %a[], %x : memref<f32>, f32 -> f32
  return
}

// -----

func.func @atomic_add_of_nothing(%a: memref<f32>) {
  // expected-error @below {{expected a value for an atomic add, got none}}
  %0 = tinytc.atomic add device relaxed %a[] : memref<f32> -> f32
  return
}

// -----

func.func @atomic_store_with_a_result(%a: memref<f32>, %x: f32) {
  // expected-error @below {{expected no result of an atomic store, got one}}
  %0 = tinytc.atomic store device relaxed %a[], %x : memref<f32>, f32 -> f32
  return
}

// -----

func.func @atomic_min_without_a_result(%a: memref<f32>, %x: f32) {
  // expected-error @below {{expected a result of an atomic min, got none}}
  tinytc.atomic min device relaxed %a[], %x : memref<f32>, f32
  return
}

// -----

func.func @atomic_indices(%a: memref<4xf32>) {
  // expected-error @below {{expected 1 index, got 0}}
  %0 = tinytc.atomic load device relaxed %a[] : memref<4xf32> -> f32
  return
}

// -----

func.func @atomic_type(%a: memref<f32>, %x: bf16) {
  // expected-error @below {{expected value and result to have the element type 'f32' of 'memref', got 'bf16'}}
  %0 = tinytc.atomic add device relaxed %a[], %x : memref<f32>, bf16 -> bf16
  return
}

// -----

func.func @atomic_min_of_complex_numbers(%a: memref<complex<f32>>, %x: complex<f32>) {
  // expected-error @below {{expected a real type for an atomic min, got 'complex<f32>'}}
  %0 = tinytc.atomic min device relaxed %a[], %x : memref<complex<f32>>, complex<f32> -> complex<f32>
  return
}

// -----

func.func @atomic_store_that_acquires(%a: memref<f32>, %x: f32) {
  // expected-error @below {{expected the semantics of an atomic store to be one of relaxed, release, sequentially_consistent, got acquire}}
  tinytc.atomic store device acquire %a[], %x : memref<f32>, f32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c1(%a: f32, %b: f16, %c: f32) {
  // expected-error @below {{expected entries of 'a' and 'b' of one type, got 'f32' and 'f16'}}
  %0 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b), (%c)
    : f32, f32, f32, f32, f32, f32, f32, f32, f16, f32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c1_empty(%a: f32) {
  // expected-error @below {{expected 'a' and 'b' to have entries, got 1 and 0}}
  %0 = tinytc.subgroup_matrix_mul_add (%a), (), (%a) : f32, f32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c2(%a: f32, %b: f32, %c: f32) {
  // expected-error @below {{expected 'a' to have 8 entries of type 'f32', got 9}}
  %0 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a, %a), (%b), (%c)
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c3(%a: f32, %b: f32, %c: f32) {
  // expected-error @below {{expected 'c' to have 1, 2, 4 or 8 entries, got 3}}
  %0:3 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b), (%c, %c, %c)
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c3_vectors(%a: f32, %b: f32, %c: vector<4xf32>) {
  // expected-error @below {{expected 'c' to be numbers or one vector of fixed length, got 'vector<4xf32>', 'vector<4xf32>'}}
  %0:2 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b), (%c, %c)
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @subgroup_matrix_mul_add_c4(%a: f32, %b: f32, %c: f32) {
  // expected-error @below {{expected the entries of 'b' to divide 8, those of all work-items, got 3}}
  %0 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b, %b, %b), (%c)
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c4_halves(%a: f32, %b: i16) {
  // expected-error @below {{expected a half for each of 2 columns in 'b', got 1}}
  %0:2 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b), (%a, %a)
    : f32, f32, f32, f32, f32, f32, f32, f32, i16, f32, f32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c5(%a: f32, %b: f32, %c: i32) {
  // expected-error @below {{expected entries of 'c' of type 'f32', got 'i32'}}
  %0 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b), (%c)
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, i32
  return
}

// -----

func.func @subgroup_matrix_mul_add_c5_result(%a: f32, %b: f32, %c: f32) {
  // expected-error @below {{expected results of the types ('f32') of 'c', got ('i32')}}
  %0 = "tinytc.subgroup_matrix_mul_add"(%a, %a, %a, %a, %a, %a, %a, %a, %b, %c)
    <{operandSegmentSizes = array<i32: 8, 1, 1>}>
    : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) -> i32
  return
}

// -----

func.func @subgroup_block_load_c1(%a: memref<?xf16>, %i: index) {
  // expected-error @below {{expected results of the element type 'f16' of 'source', got 'bf16'}}
  %0:8 = tinytc.subgroup_block_load %a[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<?xf16> -> bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16
  return
}

// -----

func.func @subgroup_block_load_c1_halves(%a: memref<?xf32>, %i: index) {
  // expected-error @below {{expected results of i16, halves of the element type 'f32' of 'source', got 'f32'}}
  %0:8 = tinytc.subgroup_block_load %a[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
  return
}

// -----

func.func @subgroup_block_load_c2(%a: memref<?xf16>, %i: index) {
  // expected-error @below {{expected 8 or 16 results of type 'f16', got 4}}
  %0:4 = tinytc.subgroup_block_load %a[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<?xf16> -> f16, f16, f16, f16
  return
}

// -----

func.func @subgroup_block_load_c2_transposed(%a: memref<?xf16>, %i: index) {
  // expected-error @below {{expected 16 results of type 'f16', got 8}}
  %0:8 = tinytc.subgroup_block_load transposed %a[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<?xf16> -> f16, f16, f16, f16, f16, f16, f16, f16
  return
}

// -----

func.func @subgroup_block_load_c2_bytes(%a: memref<?xi8>, %i: index) {
  // expected-error @below {{expected 16 or 32 results of type 'i8', got 8}}
  %0:8 = tinytc.subgroup_block_load %a[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<?xi8> -> i8, i8, i8, i8, i8, i8, i8, i8
  return
}

// -----

func.func @warp_matrix_mul_add_c1(%a: f64, %b: f16) {
  // expected-error @below {{expected entries of 'a' and 'b' of one type, got 'f64' and 'f16'}}
  %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%a, %b), (%a, %a, %a, %a)
    : f64, f64, f64, f64, f64, f16, f64, f64, f64, f64
  return
}

// -----

func.func @warp_matrix_mul_add_c1_empty(%a: f64) {
  // expected-error @below {{expected 'a' to have entries, got none}}
  %0 = tinytc.warp_matrix_mul_add (), (%a), (%a) : f64, f64
  return
}

// -----

func.func @warp_matrix_mul_add_c2(%a: f64) {
  // expected-error @below {{expected 'b' to have 2 entries for factors of type 'f64', got 1}}
  %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%a), (%a, %a, %a, %a)
    : f64, f64, f64, f64, f64, f64, f64, f64, f64
  return
}

// -----

func.func @warp_matrix_mul_add_c3(%a: f64, %c: f32) {
  // expected-error @below {{expected sums of type 'f64', got 'f32'}}
  %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%a, %a), (%a, %a, %a, %c)
    : f64, f64, f64, f64, f64, f64, f64, f64, f64, f32
  return
}

// -----

func.func @warp_matrix_mul_add_c3_result(%a: f64) {
  // expected-error @below {{expected results of the types ('f64', 'f64', 'f64', 'f64') of 'c', got ('f64')}}
  %0 = "tinytc.warp_matrix_mul_add"(%a, %a, %a, %a, %a, %a, %a, %a, %a, %a)
    <{operandSegmentSizes = array<i32: 4, 2, 4>}>
    : (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) -> f64
  return
}

// -----

func.func @packed_sum(%a: i32) -> i32 {
  // expected-error @below {{expected 'c' of type 'f32', got 'i32'}}
  %0 = tinytc.packed_mul_add bf16 %a, %a, %a : i32, i32
  return %0 : i32
}

// -----

func.func @packed_vector(%a: vector<4xi32>, %c: i32) -> i32 {
  // expected-error @below {{expected 'c' of type 'vector<4xi32>', got 'i32'}}
  %0 = tinytc.packed_mul_add i8 %a, %a, %c : vector<4xi32>, i32
  return %0 : i32
}
