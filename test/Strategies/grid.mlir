// RUN: tinytc-opt %s --lower-to-linalg=target=cuda:sm_90 --tinytc-choose-strategies | FileCheck %s

// Eight lanes lie along the rows and four along the columns: each loads four rows at once.
// CHECK-LABEL: @product
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 4, columns = 2, unroll = 7,
//  CHECK-SAME:     grid_rows = 8, grid_columns = 4, adjacent = 4, shares_columns = true>
tinytc.func @product(%alpha: f32, %a: !tinytc.memref<32x7xf32>, %b: !tinytc.memref<7x8xf32>, %c: !tinytc.memref<32x8xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<32x7xf32>, !tinytc.memref<7x8xf32>, f32, !tinytc.memref<32x8xf32>
}

// CHECK-LABEL: @dynamic
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 8, columns = 8, unroll = 4,
//  CHECK-SAME:     grid_rows = 8, grid_columns = 4, adjacent = 4, shares_columns = true>
tinytc.func @dynamic(%alpha: f32, %a: !tinytc.memref<?x?xf32>, %b: !tinytc.memref<?x?xf32>, %c: !tinytc.memref<?x?xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<?x?xf32>, !tinytc.memref<?x?xf32>, f32, !tinytc.memref<?x?xf32>
}

// The leading dimension keeps no alignment of four elements.
// CHECK-LABEL: @odd_stride
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items,
//  CHECK-SAME:     adjacent = 1,
tinytc.func @odd_stride(%alpha: f32, %a: !tinytc.memref<33x7xf32>, %b: !tinytc.memref<7x8xf32>, %c: !tinytc.memref<33x8xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<33x7xf32>, !tinytc.memref<7x8xf32>, f32, !tinytc.memref<33x8xf32>
}
