// RUN: tinytc-opt %s --convert-gpu-to-nvvm | FileCheck %s

// The known size of blocks becomes a limit of what a launch may ask for.

gpu.module @kernels {
  // CHECK: nvvm.maxntid = array<i32: 32, 1, 1>
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
