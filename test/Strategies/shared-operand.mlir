// RUN: tinytc-opt %s --lower-to-linalg=target=intel-gpu:pvc --tinytc-choose-strategies | FileCheck %s

// The lanes load B, which all rows share, for each other.
// CHECK-LABEL: @product
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = shared_operand, rows = 1, columns = 8, unroll = 7,
//  CHECK-SAME:     grid_rows = 32, grid_columns = 1, adjacent = 4, operand = 1>
tinytc.func @product(%alpha: f32, %a: !tinytc.memref<32x7xf32>, %b: !tinytc.memref<7x8xf32>, %c: !tinytc.memref<32x8xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<32x7xf32>, !tinytc.memref<7x8xf32>, f32, !tinytc.memref<32x8xf32>
}

// CHECK-LABEL: @complex
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = shared_operand, rows = 1, columns = 8, unroll = 8,
//  CHECK-SAME:     operand = 1>
tinytc.func @complex(%alpha: complex<f32>, %a: !tinytc.memref<8x8xcomplex<f32>>, %b: !tinytc.memref<8x8xcomplex<f32>>, %c: !tinytc.memref<8x8xcomplex<f32>>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : complex<f32>, !tinytc.memref<8x8xcomplex<f32>>, !tinytc.memref<8x8xcomplex<f32>>, complex<f32>, !tinytc.memref<8x8xcomplex<f32>>
}

// No factor is the same for all rows.
// CHECK-LABEL: @negative_lines
//   CHECK-NOT:   shared_operand
tinytc.func @negative_lines(%alpha: f32, %a: !tinytc.memref<64x8xf32>, %b: !tinytc.memref<8xf32>) {
  tinytc.sum t %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32>, f32, !tinytc.memref<8xf32>
}
