// RUN: tinytc-opt %s --lower-to-tile | FileCheck %s

// The module of programs on tiles gets another name if that of a declaration is the usual one.
// CHECK: func.func private @kernels()
// CHECK: tile.module @kernels_0
func.func private @kernels()

tinytc.func @store(%x: f32, %A: !tinytc.memref<f32>) {
  tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
}
