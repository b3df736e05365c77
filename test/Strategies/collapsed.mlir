// RUN: tinytc-opt %s --lower-to-linalg=target=cpu --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --lower-to-linalg=target=intel-gpu:pvc --tinytc-choose-strategies \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PVC

// CHECK-LABEL: @contiguous
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = collapsed, adjacent =
//    PVC-SAME:     4>
tinytc.func @contiguous(%alpha: f32, %a: !tinytc.memref<64x8xf32>, %b: !tinytc.memref<64x8xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32>, f32, !tinytc.memref<64x8xf32>
}

// CHECK-LABEL: @negative_gaps
//   CHECK-NOT:   collapsed
tinytc.func @negative_gaps(%alpha: f32, %a: !tinytc.memref<64x8xf32, strided<1,70>>, %b: !tinytc.memref<64x8xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32, strided<1,70>>, f32, !tinytc.memref<64x8xf32>
}

// One long line leaves no work for the second row of work-items.
// CHECK-LABEL: @negative_two_rows
//   CHECK-NOT:   collapsed
tinytc.func @negative_two_rows(%alpha: f32, %a: !tinytc.memref<64x8xf32>, %b: !tinytc.memref<64x8xf32>)
    attributes {work_group_size = array<i32: 16, 2>, subgroup_size = 16 : i32} {
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !tinytc.memref<64x8xf32>, f32, !tinytc.memref<64x8xf32>
}
