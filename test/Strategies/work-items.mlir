// RUN: tinytc-opt %s --lower-to-linalg=target=cpu --tinytc-choose-strategies | FileCheck %s

// Two rows, which are 16 work-items apart, and all columns.
// CHECK-LABEL: @product
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 2, columns = 8, unroll = 1,
//  CHECK-SAME:     grid_rows = 16, grid_columns = 1, adjacent = 1, columns_outside = true>
tinytc.func @product(%alpha: f32, %a: !tinytc.memref<32x7xf32>, %b: !tinytc.memref<7x8xf32>, %c: !tinytc.memref<32x8xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<32x7xf32>, !tinytc.memref<7x8xf32>, f32, !tinytc.memref<32x8xf32>
}

// CHECK-LABEL: @dynamic
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 2, columns = 7, unroll = 1, grid_rows = 16,
tinytc.func @dynamic(%alpha: f32, %a: !tinytc.memref<?x?xf32>, %b: !tinytc.memref<?x?xf32>, %c: !tinytc.memref<?x?xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<?x?xf32>, !tinytc.memref<?x?xf32>, f32, !tinytc.memref<?x?xf32>
}

// CHECK-LABEL: @scheduled
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 1, columns = 4, unroll = 2, grid_rows = 16,
tinytc.func @scheduled(%alpha: f32, %a: !tinytc.memref<32x7xf32>, %b: !tinytc.memref<7x8xf32>, %c: !tinytc.memref<32x8xf32>)
    attributes {schedule = #tinytc.schedule<rows = 1, columns = 4, unroll = 2>} {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<32x7xf32>, !tinytc.memref<7x8xf32>, f32, !tinytc.memref<32x8xf32>
}

// A is contiguous along the summed mode, B along the columns: work-items lie along these.
// CHECK-LABEL: @second_mode
//       CHECK:   <kind = work_items, {{.*}}, row_mode = 1,
tinytc.func @second_mode(%alpha: f32, %a: !tinytc.memref<?x8xf32>, %b: !tinytc.memref<32x?xf32>, %c: !tinytc.memref<8x32xf32>) {
  tinytc.gemm t t %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<?x8xf32>, !tinytc.memref<32x?xf32>, f32, !tinytc.memref<8x32xf32>
}

// Parallel loops, and element-wise ops on operands with gaps.
// CHECK-LABEL: @elements
//       CHECK:   linalg.generic
//  CHECK-SAME:     tinytc.strategy = #tinytc.strategy<kind = work_items>
//       CHECK:   scf.forall
//       CHECK:   } {mapping = [#tinytc.work_item<0>], tinytc.strategy = #tinytc.strategy<kind = work_items>}
tinytc.func @elements(%alpha: f32, %a: !tinytc.memref<64x8xf32, strided<1,70>>, %b: !tinytc.memref<64x8xf32>, %n: index) {
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32, strided<1,70>>, f32, !tinytc.memref<64x8xf32>
  tinytc.foreach (%i) = (%n), (%n) {
    tinytc.store %alpha, %b[%i, %i] : f32, !tinytc.memref<64x8xf32>
  }
}
