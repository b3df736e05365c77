// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s

// A declaration has no code to become a kernel.
//       CHECK: module attributes
//   CHECK-NOT: func.func private @negative_declaration(f32) -> f32 {
//       CHECK: gpu.func @kernel(
//       CHECK: func.func private @negative_declaration(f32) -> f32
tinytc.func @kernel(%x: f32, %A: !tinytc.memref<f32>) {
  tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
}

func.func private @negative_declaration(f32) -> f32
