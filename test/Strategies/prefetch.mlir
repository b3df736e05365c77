// RUN: tinytc-opt %s --lower-to-linalg=target=x86-64-v3 --tinytc-choose-strategies | FileCheck %s

// A launch of native code runs groups in turn.
// CHECK-LABEL: @product
//       CHECK:   <kind = work_items, {{.*}}, prefetch = true>
tinytc.func @product(%alpha: f32, %a: !tinytc.memref<32x7xf32>, %b: !tinytc.memref<7x8xf32>, %c: !tinytc.memref<32x8xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<32x7xf32>, !tinytc.memref<7x8xf32>, f32, !tinytc.memref<32x8xf32>
}

// One column is over too soon to hide that.
// CHECK-LABEL: @negative_vector
//   CHECK-NOT:   prefetch
tinytc.func @negative_vector(%alpha: f32, %a: !tinytc.memref<32x7xf32>, %b: !tinytc.memref<7xf32>, %c: !tinytc.memref<32xf32>) {
  tinytc.gemv n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<32x7xf32>, !tinytc.memref<7xf32>, f32, !tinytc.memref<32xf32>
}
