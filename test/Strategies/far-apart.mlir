// RUN: tinytc-opt %s --lower-to-linalg=target=x86-64-v4 --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --lower-to-linalg=target=cpu --tinytc-choose-strategies | FileCheck %s --check-prefix=CPU

// Columns of A of which nobody knows how far apart they are: few registers of rows, so
// that there are few tiles of columns, and several steps in an iteration.
// CHECK-LABEL: @tall
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 4, columns = 6, unroll = 4,
// CPU-LABEL:   @tall
//       CPU:     tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 8, columns = 3, unroll = 1,
tinytc.func @tall(%alpha: f32, %a: !tinytc.memref<128x32xf32, strided<1,?>>, %b: !tinytc.memref<32x32xf32>, %c: !tinytc.memref<128x32xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<128x32xf32, strided<1,?>>, !tinytc.memref<32x32xf32>, f32, !tinytc.memref<128x32xf32>
}

// CHECK-LABEL: @known
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 8, columns = 3, unroll = 1,
tinytc.func @known(%alpha: f32, %a: !tinytc.memref<128x32xf32>, %b: !tinytc.memref<32x32xf32>, %c: !tinytc.memref<128x32xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<128x32xf32>, !tinytc.memref<32x32xf32>, f32, !tinytc.memref<128x32xf32>
}

// One register of rows, and few steps.
// CHECK-LABEL: @short
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 1, columns = 8, unroll = 8,
// CPU-LABEL:   @short
//       CPU:     tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 1, columns = 8, unroll = 1,
tinytc.func @short(%alpha: f32, %a: !tinytc.memref<8x8xf32>, %b: !tinytc.memref<8x8xf32>, %c: !tinytc.memref<8x8xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
}

// Two registers of rows share the elements for all lanes.
// CHECK-LABEL: @two_registers
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 2, columns = 9, unroll = 1,
tinytc.func @two_registers(%alpha: f32, %a: !tinytc.memref<20x9xf32>, %b: !tinytc.memref<9x9xf32>, %c: !tinytc.memref<20x9xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<20x9xf32>, !tinytc.memref<9x9xf32>, f32, !tinytc.memref<20x9xf32>
}
