// RUN: tinytc-opt %s --lower-to-linalg=target=cpu --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --lower-to-linalg=target=intel-gpu:pvc --tinytc-choose-strategies \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PVC

// CHECK-LABEL: @lines
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = subgroup_reduction, rows = 4, unroll = 2, tail_unroll = 8, adjacent =
//    PVC-SAME:     4>
tinytc.func @lines(%alpha: f32, %a: !tinytc.memref<64x8xf32>, %b: !tinytc.memref<8xf32>) {
  tinytc.sum t %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32>, f32, !tinytc.memref<8xf32>
}

// CHECK-LABEL: @scalar
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = subgroup_reduction,
tinytc.func @scalar(%alpha: f32, %a: !tinytc.memref<64xf32>, %b: !tinytc.memref<f32>) {
  tinytc.sum n %alpha, %a, %alpha, %b : f32, !tinytc.memref<64xf32>, f32, !tinytc.memref<f32>
}

// Where a line has gaps, elements are loaded one by one, of fewer lines at once.
// CHECK-LABEL: @gaps
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = subgroup_reduction, rows =
//    PVC-SAME:     2, unroll = 2, tail_unroll = 8, adjacent = 1>
tinytc.func @gaps(%alpha: f32, %a: !tinytc.memref<64x8xf32, strided<2,128>>, %b: !tinytc.memref<8xf32>) {
  tinytc.sum t %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32, strided<2,128>>, f32, !tinytc.memref<8xf32>
}

// CHECK-LABEL: @negative_rows
//   CHECK-NOT:   subgroup_reduction
tinytc.func @negative_rows(%alpha: f32, %a: !tinytc.memref<64x8xf32>, %b: !tinytc.memref<64xf32>) {
  tinytc.sum n %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32>, f32, !tinytc.memref<64xf32>
}
