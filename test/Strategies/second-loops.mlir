// RUN: tinytc-opt %s --lower-to-linalg=target=x86-64-v3 --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --lower-to-linalg="target=cpu vector-bytes=32" --tinytc-choose-strategies | FileCheck %s --check-prefix=CPU

// Tiles of four and of three registers of rows: LLVM's second loop costs less than the driver's.
// CHECK-LABEL: @product
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 4, columns = 3, unroll = 1,
// CPU-LABEL:   @product
//       CPU:     tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 7, columns = 1,
tinytc.func @product(%alpha: f32, %a: !tinytc.memref<56x9xf32>, %b: !tinytc.memref<9x9xf32>, %c: !tinytc.memref<56x9xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<56x9xf32>, !tinytc.memref<9x9xf32>, f32, !tinytc.memref<56x9xf32>
}

// Tiles of three registers would share lines that are far apart: these have two, of 16 lanes.
// CHECK-LABEL: @far_apart
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 1, columns = 4, unroll = 4, grid_rows = 16,
tinytc.func @far_apart(%alpha: f32, %a: !tinytc.memref<128x4xf32, strided<1,?>>, %b: !tinytc.memref<4x4xf32>, %c: !tinytc.memref<128x4xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<128x4xf32, strided<1,?>>, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<128x4xf32>
}

// CHECK-LABEL: @near
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 3, columns = 4, unroll = 1,
tinytc.func @near(%alpha: f32, %a: !tinytc.memref<128x4xf32>, %b: !tinytc.memref<4x4xf32>, %c: !tinytc.memref<128x4xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<128x4xf32>, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<128x4xf32>
}
