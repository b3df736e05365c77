// RUN: tinytc-opt %s --lower-to-tile | FileCheck %s

// The only stage of programs on tiles takes instructions of the language, and of linalg.

// CHECK: tile.module @kernels {

// CHECK-LABEL: tile.entry @scale(
//       CHECK:   tile.mulf
//   CHECK-NOT:   tinytc.
tinytc.func @scale(%alpha: f32, %a: !tinytc.memref<32xf32>) {
  %zero = tinytc.constant 0.0 : f32
  tinytc.axpby n %alpha, %a, %zero, %a : f32, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
}

// CHECK-LABEL: tile.entry @matmul(
//       CHECK:   tile.mmaf
//   CHECK-NOT:   linalg.
func.func @matmul(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %C: memref<16x16xf32>) {
  linalg.matmul ins(%A, %B : memref<16x16xf32>, memref<16x16xf32>) outs(%C : memref<16x16xf32>)
  return
}
