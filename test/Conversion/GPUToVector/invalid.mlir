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
