// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

!matrix = !tinytc.memref<8x8xf32>
tinytc.func @gemm_c8(%x: f32, %a: !matrix, %c: !matrix) {
  // expected-error @+1 {{expected 'c' not to overlap 'a', got operands with common elements}}
  tinytc.gemm n n %x, %c, %a, %x, %c : f32, !matrix, !matrix, f32, !matrix
}

// -----

!matrix = !tinytc.memref<8x8xf32>
!half = !tinytc.memref<4x4xf32, strided<1, 8>>
tinytc.func @gemm_c8_blocks(%x: f32, %a: !matrix) {
  %0 = tinytc.subview %a[0:4, 1:4] : !matrix -> !half
  %1 = tinytc.subview %a[0:4, 4:4] : !matrix -> !half
  %2 = tinytc.subview %a[4:4, 4:4] : !matrix -> !half
  // expected-error @+1 {{expected 'c' not to overlap 'b', got operands with common elements}}
  tinytc.gemm n n %x, %2, %0, %x, %1 : f32, !half, !half, f32, !half
}

// -----

!matrix = !tinytc.memref<8x8xf32>
!vector = !tinytc.memref<8xf32>
tinytc.func @gemv_c8(%x: f32, %a: !matrix, %i: index, %b: !vector) {
  %c = tinytc.subview %a[0:8, %i] : !matrix -> !vector
  // expected-error @+1 {{expected 'c' not to overlap 'a', got operands with common elements}}
  tinytc.gemv n %x, %a, %b, %x, %c : f32, !matrix, !vector, f32, !vector
}

// -----

!matrix = !tinytc.memref<8x8xf32>
!vector = !tinytc.memref<8xf32>
tinytc.func @ger_c8(%x: f32, %c: !matrix, %i: index, %a: !vector) {
  %b = tinytc.subview %c[0:8, %i] : !matrix -> !vector
  // expected-error @+1 {{expected 'c' not to overlap 'b', got operands with common elements}}
  tinytc.ger %x, %a, %b, %x, %c : f32, !vector, !vector, f32, !matrix
}

// -----

!matrix = !tinytc.memref<8x8xf32>
!vector = !tinytc.memref<4xf32>
tinytc.func @hadamard_product_c6(%x: f32, %a: !matrix, %i: index) {
  %0 = tinytc.subview %a[0:4, %i] : !matrix -> !vector
  %1 = tinytc.subview %a[2:4, %i] : !matrix -> !vector
  // expected-error @+1 {{expected 'c' not to overlap 'a', got operands with common elements}}
  tinytc.hadamard_product %x, %1, %0, %x, %0 : f32, !vector, !vector, f32, !vector
}

// -----

!matrix = !tinytc.memref<8x8xf32>
tinytc.func @axpby_c6(%x: f32, %b: !matrix) {
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.axpby t %x, %b, %x, %b : f32, !matrix, f32, !matrix
}

// -----

!matrix = !tinytc.memref<8x8xf32>
tinytc.func @cumsum_c7(%x: f32, %b: !matrix) {
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.cumsum %x, %b, 0, %x, %b : f32, !matrix, f32, !matrix
}

// -----

!matrix = !tinytc.memref<8x8xf32>
!vector = !tinytc.memref<8xf32>
tinytc.func @sum_c7(%x: f32, %a: !matrix) {
  %line = tinytc.fuse %a[0, 1] : !matrix -> !tinytc.memref<64xf32>
  %b = tinytc.subview %line[0:8] : !tinytc.memref<64xf32> -> !vector
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.sum n %x, %a, %x, %b : f32, !matrix, f32, !vector
}

// -----

// What may be apart at run time, and element-wise updates in place, are allowed.
!matrix = !tinytc.memref<8x8xf32>
!vector = !tinytc.memref<8xf32>
!half = !tinytc.memref<4x8xf32, strided<1, 8>>
tinytc.func @negative_overlap(%x: f32, %a: !matrix, %b: !matrix, %i: index, %j: index,
                              %d: !tinytc.memref<?xf32>) {
  %all = tinytc.subview %d[0:%i] : !tinytc.memref<?xf32> -> !tinytc.memref<?xf32>
  tinytc.axpby n %x, %all, %x, %d : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
  tinytc.axpby n %x, %a, %x, %a : f32, !matrix, f32, !matrix
  tinytc.hadamard_product %x, %a, %a, %x, %a : f32, !matrix, !matrix, f32, !matrix
  tinytc.gemm n n %x, %a, %a, %x, %b : f32, !matrix, !matrix, f32, !matrix
  %0 = tinytc.subview %a[0:8, %i] : !matrix -> !vector
  %1 = tinytc.subview %a[0:8, %j] : !matrix -> !vector
  %2 = tinytc.subview %a[0:8, %i] : !matrix -> !vector
  tinytc.gemv n %x, %b, %0, %x, %1 : f32, !matrix, !vector, f32, !vector
  tinytc.axpby n %x, %0, %x, %2 : f32, !vector, f32, !vector
  %3 = tinytc.subview %a[0:4, 0:8] : !matrix -> !half
  %4 = tinytc.subview %a[4:4, 0:8] : !matrix -> !half
  tinytc.cumsum %x, %3, 0, %x, %4 : f32, !half, f32, !half
}
