// RUN: tinytc-opt %s --tinytc-convert-gpu-to-vector --split-input-file --verify-diagnostics

// expected-error @below {{expected a target of the family 'native', got 'cpu'}}
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // expected-error @below {{expected a kernel whose subgroup and block size are known, got one without}}
    gpu.func @no_sizes() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // expected-error @below {{expected structured control flow, got 2 blocks}}
    gpu.func @blocks() kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      cf.br ^next
    ^next:
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @unknown_op() kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      // expected-error @below {{expected an op that lanes of a vector can run, got 'gpu.printf'}}
      gpu.printf "text"
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @width(%x: f32, %n: i32, %a: memref<?xf32>, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %width = arith.constant 8 : i32
      // expected-error @below {{expected a shuffle of the whole subgroup, of width 16, got width 8}}
      %0, %valid = gpu.shuffle idx %x, %n, %width : f32
      memref.store %0, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // expected-error @below {{expected whole subgroups whose size is a power of two, got subgroups of 12 for 24 work-items}}
    gpu.func @size() kernel
        attributes {known_block_size = array<i32: 24, 1, 1>, tinytc.subgroup_size = 12 : i32} {
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // expected-error @below {{expected whole subgroups whose size is a power of two, got subgroups of 16 for 12 work-items}}
    gpu.func @part() kernel
        attributes {known_block_size = array<i32: 12, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @matrix(%a: memref<4x4xf32>, %x: f32, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      // expected-error @below {{expected memory with one index and no strides, got 'memref<4x4xf32>'}}
      memref.store %x, %a[%i, %i] : memref<4x4xf32>
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @strides(%a: memref<4xf32, strided<[2]>>, %x: f32, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      // expected-error @below {{expected memory with one index and no strides, got 'memref<4xf32, strided<[2]>>'}}
      memref.store %x, %a[%i] : memref<4xf32, strided<[2]>>
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @private_matrix(%x: f32, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %a = memref.alloca() : memref<4x4xf32, #gpu.address_space<private>>
      // expected-error @below {{expected memory with one index and no strides, got 'memref<4x4xf32, #gpu.address_space<private>>'}}
      memref.store %x, %a[%i, %i] : memref<4x4xf32, #gpu.address_space<private>>
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @private_update(%x: f32, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %a = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
      // expected-error @below {{expected only loads and stores of a private array, got 'memref.atomic_rmw'}}
      %old = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<4xf32, #gpu.address_space<private>>) -> f32
      gpu.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    gpu.func @private_size(%x: f32, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      // expected-error @below {{expected memory of a known size, got 'memref<?xf32, #gpu.address_space<private>>'}}
      %a = memref.alloca(%i) : memref<?xf32, #gpu.address_space<private>>
      gpu.return
    }
  }
}
