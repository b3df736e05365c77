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

// A view of a view, whose blocks meet in the first one.
!matrix = !tinytc.memref<8x8xf32>
!rows = !tinytc.memref<4x8xf32, strided<1, 8>>
!half = !tinytc.memref<4x4xf32, strided<1, 8>>
tinytc.func @gemm_c8_nested(%x: f32, %a: !matrix, %b: !half) {
  %rows = tinytc.subview %a[2:4, 0:8] : !matrix -> !rows
  %0 = tinytc.subview %rows[0:4, 3:4] : !rows -> !half
  %1 = tinytc.subview %a[4:4, 0:4] : !matrix -> !half
  // expected-error @+1 {{expected 'c' not to overlap 'a', got operands with common elements}}
  tinytc.gemm n n %x, %0, %b, %x, %1 : f32, !half, !half, f32, !half
}

// -----

// Values at the same distance, in two steps.
!line = !tinytc.memref<64xf32>
!vector = !tinytc.memref<8xf32>
tinytc.func @sum_c7_nested(%x: f32, %a: !line, %i: index, %j: index) {
  %0 = tinytc.subview %a[%i:16] : !line -> !tinytc.memref<16xf32>
  %1 = tinytc.subview %0[%j:8] : !tinytc.memref<16xf32> -> !vector
  %2 = tinytc.subview %a[%j:16] : !line -> !tinytc.memref<16xf32>
  %3 = tinytc.subview %2[4:12] : !tinytc.memref<16xf32> -> !tinytc.memref<12xf32>
  %4 = tinytc.subview %3[%i:8] : !tinytc.memref<12xf32> -> !vector
  // expected-error @+1 {{expected 'b' not to overlap 'a', got operands with common elements}}
  tinytc.cumsum %x, %1, 0, %x, %4 : f32, !vector, f32, !vector
}

// -----

// Expanded modes of a view: the same elements as those of the view.
!line = !tinytc.memref<64xf32>
!vector = !tinytc.memref<16xf32>
!matrix = !tinytc.memref<4x4xf32>
tinytc.func @gemm_c8_expanded(%x: f32, %a: !line, %b: !matrix) {
  %0 = tinytc.subview %a[0:16] : !line -> !vector
  %1 = tinytc.expand %0[0 -> 4 by 4] : !vector -> !matrix
  %2 = tinytc.subview %a[8:16] : !line -> !vector
  %3 = tinytc.expand %2[0 -> 4 by 4] : !vector -> !matrix
  // expected-error @+1 {{expected 'c' not to overlap 'b', got operands with common elements}}
  tinytc.gemm n n %x, %b, %1, %x, %3 : f32, !matrix, !matrix, f32, !matrix
}

// -----

// A column of an expanded view is somewhere in the view.
!line = !tinytc.memref<64xf32>
!vector = !tinytc.memref<16xf32>
!matrix = !tinytc.memref<4x4xf32>
tinytc.func @gemv_c8_part(%x: f32, %a: !line, %b: !tinytc.memref<4x32xf32>) {
  %0 = tinytc.subview %a[16:16] : !line -> !vector
  %1 = tinytc.expand %0[0 -> 4 by 4] : !vector -> !matrix
  %2 = tinytc.subview %1[0:4, 1] : !matrix -> !tinytc.memref<4xf32>
  %3 = tinytc.subview %a[8:32] : !line -> !tinytc.memref<32xf32>
  // expected-error @+1 {{expected 'c' not to overlap 'b', got operands with common elements}}
  tinytc.gemv n %x, %b, %3, %x, %2 : f32, !tinytc.memref<4x32xf32>,
                                      !tinytc.memref<32xf32>, f32, !tinytc.memref<4xf32>
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
  %5 = tinytc.subview %3[0:4, 0] : !half -> !tinytc.memref<4xf32>
  %6 = tinytc.subview %3[0:4, 1] : !half -> !tinytc.memref<4xf32>
  tinytc.cumsum %x, %5, 0, %x, %6 : f32, !tinytc.memref<4xf32>, f32,
                                    !tinytc.memref<4xf32>
}
