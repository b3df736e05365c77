// RUN: tinytc-opt %s --lower-to-nvvm=target=cuda:sm_90 | FileCheck %s

// A variant gets another name if a kernel has its name.
//       CHECK: #[[$PRODUCT:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "product",{{.*}} aligned_variant = "product__aligned_0"
//       CHECK: #[[$OTHER:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "product__aligned"
// CHECK-LABEL: llvm.func @product(
//  CHECK-SAME:   tinytc.manifest = #[[$PRODUCT]]}
// CHECK-LABEL: llvm.func @product__aligned_0(
// CHECK-LABEL: llvm.func @product__aligned(
//  CHECK-SAME:   tinytc.manifest = #[[$OTHER]]}
tinytc.func @product(%A: !tinytc.memref<8x8xf32>, %B: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %A, %B, %zero, %C
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
}
tinytc.func @product__aligned(%x: f32, %A: !tinytc.memref<f32>) {
  tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
}
