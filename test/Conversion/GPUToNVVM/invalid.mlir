// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm --split-input-file --verify-diagnostics

// expected-error @below {{expected a target of the family 'nvidia_gpu', got 'cpu'}}
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [32], max_work_group_size = 1024, local_memory_bytes = 0, f64 = true>} {
  gpu.module @kernels {
    gpu.func @no_sizes() kernel {
      // expected-error @+2 {{expected a kernel with a subgroup size and a known block size, got one without}}
      // expected-error @+1 {{failed to legalize operation 'gpu.barrier'}}
      gpu.barrier
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [32], max_work_group_size = 1024, local_memory_bytes = 0, f64 = true>} {
  gpu.module @kernels {
    gpu.func @width(%x: f32, %n: i32, %a: memref<?xf32>, %i: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
      %width = arith.constant 16 : i32
      // expected-error @+2 {{expected the width to be the subgroup size, 32, got 16}}
      // expected-error @+1 {{failed to legalize operation 'gpu.shuffle'}}
      %0, %valid = gpu.shuffle idx %x, %n, %width : f32
      memref.store %0, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [32], max_work_group_size = 1024, local_memory_bytes = 0, f64 = true>} {
  gpu.module @kernels {
    gpu.func @dynamic_width(%x: f32, %n: i32, %a: memref<?xf32>, %i: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
      // expected-error @+2 {{expected the width to be the subgroup size, 32, got a value that is not constant}}
      // expected-error @+1 {{failed to legalize operation 'gpu.shuffle'}}
      %0, %valid = gpu.shuffle idx %x, %n, %n : f32
      memref.store %0, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
}

// -----

// The manifest is that of another kernel.
module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [32], max_work_group_size = 1024, local_memory_bytes = 0, f64 = true>} {
  gpu.module @kernels {
    // expected-error @below {{expected 'tinytc.manifest' to describe the parameters of 'others', got #tinytc.kernel<name = "others"}}
    gpu.func @others(%x: f32) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                    tinytc.manifest = #tinytc.manifest<kernel = <
                      name = "others", subgroup_size = 32, requires = [],
                      arguments = [<name = "x", type = f32>,
                                   <name = "a", type = memref<f32>, alignment = 16>]>>} {
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [16, 32], max_work_group_size = 1024, local_memory_bytes = 0,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @half_a_warp(%a: f64, %out: memref<?xf64>, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      // expected-error @+2 {{expected a subgroup size of 32, got 16}}
      // expected-error @+1 {{failed to legalize operation 'tinytc.warp_matrix_mul_add'}}
      %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%a, %a), (%a, %a, %a, %a)
        : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
      memref.store %0#0, %out[%i] : memref<?xf64>
      gpu.return
    }
  }
}
