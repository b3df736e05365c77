// RUN: tinytc-opt %s --lower-to-linalg=target=cpu --tinytc-choose-strategies | FileCheck %s

// CHECK-LABEL: @product
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = split_complex, rows = 1, columns = 8, unroll = 1,
//  CHECK-SAME:     grid_rows = 16, grid_columns = 1, adjacent = 1, columns_outside = true>
tinytc.func @product(%alpha: complex<f32>, %a: !tinytc.memref<8x8xcomplex<f32>>, %b: !tinytc.memref<8x8xcomplex<f32>>, %c: !tinytc.memref<8x8xcomplex<f32>>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : complex<f32>, !tinytc.memref<8x8xcomplex<f32>>, !tinytc.memref<8x8xcomplex<f32>>, complex<f32>, !tinytc.memref<8x8xcomplex<f32>>
}

// Neighbouring lanes of two subgroups cannot exchange parts.
// CHECK-LABEL: @negative_two_subgroups
//   CHECK-NOT:   split_complex
tinytc.func @negative_two_subgroups(%alpha: complex<f32>, %a: !tinytc.memref<8x8xcomplex<f32>>, %b: !tinytc.memref<8x8xcomplex<f32>>, %c: !tinytc.memref<8x8xcomplex<f32>>)
    attributes {work_group_size = array<i32: 16, 2>, subgroup_size = 16 : i32} {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : complex<f32>, !tinytc.memref<8x8xcomplex<f32>>, !tinytc.memref<8x8xcomplex<f32>>, complex<f32>, !tinytc.memref<8x8xcomplex<f32>>
}
