// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @expand_c1(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected 'result' to have the element type 'f32' of 'source', got 'f64'}}
  %0 = tinytc.expand %A[0 -> 2 by 4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<2x4xf64>
}

// -----

tinytc.func @expand_c1_space(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected 'result' to have the address space global of 'source', got local}}
  %0 = tinytc.expand %A[0 -> 2 by 4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<2x4xf32, local>
}

// -----

tinytc.func @expand_c2(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the mode to be at least 0 and less than the order 1, got 1}}
  %0 = tinytc.expand %A[1 -> 2 by 4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<2x4xf32>
}

// -----

tinytc.func @expand_c3(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected an expand shape of at least 2 modes, got 1}}
  %0 = tinytc.expand %A[0 -> 8]
    : !tinytc.memref<8xf32> -> !tinytc.memref<8xf32>
}

// -----

tinytc.func @expand_c3_positive(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the expand shape to be positive, got -2}}
  %0 = tinytc.expand %A[0 -> -2 by -4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<2x4xf32>
}

// -----

tinytc.func @expand_c3_constant(%A: !tinytc.memref<8xf32>) {
  %n = tinytc.constant -1 : index
  // expected-error @+1 {{expected the expand shape to be positive, got -1}}
  %0 = tinytc.expand %A[0 -> 4 by %n]
    : !tinytc.memref<8xf32> -> !tinytc.memref<4x?xf32>
}

// -----

tinytc.func @expand_c3_operands(%A: !tinytc.memref<?xf32>) {
  // expected-error @+1 {{expected one operand for each of the 1 dynamic sizes, got 0}}
  %0 = "tinytc.expand"(%A) <{mode = 0 : i64,
      static_shape = array<i64: -9223372036854775808, 4>}>
    : (!tinytc.memref<?xf32>) -> !tinytc.memref<?x4xf32>
}

// -----

tinytc.func @expand_c4(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the product of the expand shape to equal the size of mode 0 = 8, got (2, 3)}}
  %0 = tinytc.expand %A[0 -> 2 by 3]
    : !tinytc.memref<8xf32> -> !tinytc.memref<2x3xf32>
}

// -----

tinytc.func @expand_c4_known(%A: !tinytc.memref<8xf32>, %n: index) {
  // expected-error @+1 {{expected the known part of the expand shape to divide the size of mode 0 = 8, got (3, ?)}}
  %0 = tinytc.expand %A[0 -> 3 by %n]
    : !tinytc.memref<8xf32> -> !tinytc.memref<3x?xf32>
}

// -----

tinytc.func @expand_c5(%A: !tinytc.memref<8xf32>, %n: index) {
  // expected-error @+1 {{expected 'result' to have shape (2, ?), got (2, 4)}}
  %0 = tinytc.expand %A[0 -> 2 by %n]
    : !tinytc.memref<8xf32> -> !tinytc.memref<2x4xf32>
}

// -----

tinytc.func @expand_c6(%A: !tinytc.memref<32x7xf32, strided<2,64>>) {
  // expected-error @+1 {{expected 'result' to have strides (2, 8, 64) or '?' in their place, got (2, 9, 72)}}
  %0 = tinytc.expand %A[0 -> 4 by 8]
    : !tinytc.memref<32x7xf32, strided<2,64>> -> !tinytc.memref<4x8x7xf32, strided<2,9,72>>
}

// -----

tinytc.func @expand_c7(%A: !tinytc.memref<8xf32>, %n: i32) {
  // expected-error @+1 {{operand #1 must be variadic of index, but got 'i32'}}
  %0 = "tinytc.expand"(%A, %n) <{mode = 0 : i64,
      static_shape = array<i64: 4, -9223372036854775808>}>
    : (!tinytc.memref<8xf32>, i32) -> !tinytc.memref<4x?xf32>
}

// -----

tinytc.func @expandc2r_c1(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected 'source' to have complex elements, got '!tinytc.memref<8xf32>'}}
  %0 = tinytc.expandc2r %A : !tinytc.memref<8xf32> -> !tinytc.memref<2x8xf32>
}

// -----

tinytc.func @expandc2r_c1_result(%A: !tinytc.memref<8xcomplex<f32>>) {
  // expected-error @+1 {{expected 'result' to have the element type 'f32' of the parts of 'complex<f32>', got 'f64'}}
  %0 = tinytc.expandc2r %A : !tinytc.memref<8xcomplex<f32>> -> !tinytc.memref<2x8xf64>
}

// -----

tinytc.func @expandc2r_c2(%A: !tinytc.memref<8xcomplex<f32>>) {
  // expected-error @+1 {{expected 'result' to have the address space global of 'source', got local}}
  %0 = tinytc.expandc2r %A : !tinytc.memref<8xcomplex<f32>> -> !tinytc.memref<2x8xf32, local>
}

// -----

tinytc.func @expandc2r_c3(%A: !tinytc.memref<?xcomplex<f32>>) {
  // expected-error @+1 {{expected 'result' to have shape (2, ?), got (2, 8)}}
  %0 = tinytc.expandc2r %A : !tinytc.memref<?xcomplex<f32>> -> !tinytc.memref<2x8xf32>
}

// -----

tinytc.func @expandc2r_c4(%A: !tinytc.memref<8x4xcomplex<f32>, strided<1,10>>) {
  // expected-error @+1 {{expected 'result' to have strides (1, 2, 20) or '?' in their place, got (1, 2, 16)}}
  %0 = tinytc.expandc2r %A : !tinytc.memref<8x4xcomplex<f32>, strided<1,10>> -> !tinytc.memref<2x8x4xf32>
}

// -----

tinytc.func @fuse_c1(%A: !tinytc.memref<8x4xf32>) {
  // expected-error @+1 {{expected 'result' to have the element type 'f32' of 'source', got 'f64'}}
  %0 = tinytc.fuse %A[0, 1]
    : !tinytc.memref<8x4xf32> -> !tinytc.memref<32xf64>
}

// -----

tinytc.func @fuse_c2(%A: !tinytc.memref<8x4xf32>) {
  // expected-error @+1 {{expected 0 <= from < to < order = 2, got from = 1 and to = 1}}
  %0 = tinytc.fuse %A[1, 1]
    : !tinytc.memref<8x4xf32> -> !tinytc.memref<8x4xf32>
}

// -----

tinytc.func @fuse_c3(%A: !tinytc.memref<8x16xf32, strided<1,10>>) {
  // expected-error @+1 {{expected the stride of mode 1 to equal stride times size of mode 0 = 1 * 8, got 10}}
  %0 = tinytc.fuse %A[0, 1]
    : !tinytc.memref<8x16xf32, strided<1,10>> -> !tinytc.memref<128xf32>
}

// -----

tinytc.func @fuse_c4(%A: !tinytc.memref<8x16xf32>) {
  // expected-error @+1 {{expected 'result' to have shape (128), got (64)}}
  %0 = tinytc.fuse %A[0, 1]
    : !tinytc.memref<8x16xf32> -> !tinytc.memref<64xf32>
}

// -----

tinytc.func @fuse_c5(%A: !tinytc.memref<8x16x2xf32>) {
  // expected-error @+1 {{expected 'result' to have strides (1, 128) or '?' in their place, got (1, 256)}}
  %0 = tinytc.fuse %A[0, 1]
    : !tinytc.memref<8x16x2xf32> -> !tinytc.memref<128x2xf32, strided<1,256>>
}

// -----

tinytc.func @subview_c1(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected 'result' to have the element type 'f32' of 'source', got 'f64'}}
  %0 = tinytc.subview %A[0:4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<4xf64>
}

// -----

tinytc.func @subview_c2(%A: !tinytc.memref<8x8xf32>) {
  // expected-error @+1 {{expected one offset and one size for each of the 2 modes, got 1 and 1}}
  %0 = tinytc.subview %A[0:4]
    : !tinytc.memref<8x8xf32> -> !tinytc.memref<4xf32>
}

// -----

tinytc.func @subview_c2_operands(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected one operand for each of the 1 dynamic offsets, got 0}}
  %0 = "tinytc.subview"(%A) <{static_offsets = array<i64: -9223372036854775808>,
      static_sizes = array<i64: 4>, operandSegmentSizes = array<i32: 1, 0, 0>}>
    : (!tinytc.memref<8xf32>) -> !tinytc.memref<4xf32>
}

// -----

tinytc.func @subview_c3(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the offset of mode 0 to be non-negative, got -1}}
  %0 = tinytc.subview %A[-1:4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<4xf32>
}

// -----

tinytc.func @subview_c3_size(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the size of mode 0 to be non-negative, got -4}}
  %0 = tinytc.subview %A[0:-4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<4xf32>
}

// -----

tinytc.func @subview_c3_constant(%A: !tinytc.memref<8xf32>, %i: index) {
  %n = tinytc.constant -4 : index
  // expected-error @+1 {{expected the size of mode 0 to be non-negative, got -4}}
  %0 = tinytc.subview %A[%i:%n]
    : !tinytc.memref<8xf32> -> !tinytc.memref<?xf32>
}

// -----

tinytc.func @subview_c4(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the slice of mode 0 to end within its size 8, got offset 5 and size 4}}
  %0 = tinytc.subview %A[5:4]
    : !tinytc.memref<8xf32> -> !tinytc.memref<4xf32>
}

// -----

tinytc.func @subview_c4_index(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the slice of mode 0 to end within its size 8, got offset 8 and size 0}}
  %0 = tinytc.subview %A[8]
    : !tinytc.memref<8xf32> -> !tinytc.memref<f32>
}

// -----

tinytc.func @subview_c4_dynamic(%A: !tinytc.memref<8xf32>, %n: index) {
  // expected-error @+1 {{expected the slice of mode 0 to end within its size 8, got offset ? and size 9}}
  %0 = tinytc.subview %A[%n:9]
    : !tinytc.memref<8xf32> -> !tinytc.memref<9xf32>
}

// -----

tinytc.func @subview_c5(%A: !tinytc.memref<8x8xf32>, %n: index) {
  // expected-error @+1 {{expected 'result' to have shape (4), got (4, 1)}}
  %0 = tinytc.subview %A[0:4, %n]
    : !tinytc.memref<8x8xf32> -> !tinytc.memref<4x1xf32, strided<1,8>>
}

// -----

tinytc.func @subview_c6(%A: !tinytc.memref<8x8xf32>) {
  // expected-error @+1 {{expected 'result' to have strides (1, 8) or '?' in their place, got (1, 4)}}
  %0 = tinytc.subview %A[0:4, 0:8]
    : !tinytc.memref<8x8xf32> -> !tinytc.memref<4x8xf32>
}

// -----

tinytc.func @subview_c7(%A: !tinytc.memref<8xf32>, %n: i32) {
  // expected-error @+1 {{operand #1 must be variadic of index, but got 'i32'}}
  %0 = "tinytc.subview"(%A, %n) <{static_offsets = array<i64: -9223372036854775808>,
      static_sizes = array<i64: 4>, operandSegmentSizes = array<i32: 1, 1, 0>}>
    : (!tinytc.memref<8xf32>, i32) -> !tinytc.memref<4xf32>
}

// -----

tinytc.func @size_c1(%A: !tinytc.memref<8xf32>) {
  // expected-error @+1 {{expected the mode to be at least 0 and less than the order 1, got 1}}
  %0 = tinytc.size %A[1] : !tinytc.memref<8xf32>
}

// -----

tinytc.func @size_c1_group(%A: !tinytc.group<!tinytc.memref<8x8xf32> x ?>) {
  // expected-error @+1 {{expected the mode to be at least 0 and less than the order 1, got 1}}
  %0 = tinytc.size %A[1] : !tinytc.group<!tinytc.memref<8x8xf32> x ?>
}
