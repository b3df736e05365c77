// RUN: not tinytc-opt %s --convert-gpu-to-nvvm=has-redux=1 2>&1 | FileCheck %s

// Only integers of 32 bits can be reduced.

gpu.module @kernels {
  gpu.func @kernel(%x: f64, %a: !llvm.ptr) kernel {
    // CHECK: failed to legalize operation 'gpu.subgroup_reduce'
    %sum = gpu.subgroup_reduce add %x uniform : (f64) -> f64
    llvm.store %sum, %a : f64, !llvm.ptr
    gpu.return
  }
}
