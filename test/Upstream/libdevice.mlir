// RUN: tinytc-opt %s --convert-gpu-to-nvvm | FileCheck %s

// Functions of math are calls of a library that comes with the CUDA toolkit only.

gpu.module @kernels {
  // CHECK: llvm.call @__nv_expf
  gpu.func @kernel(%x: f32, %a: !llvm.ptr) kernel {
    %y = math.exp %x : f32
    llvm.store %y, %a : f32, !llvm.ptr
    gpu.return
  }
}
