// RUN: tinytc-opt %s --split-input-file --tinytc-convert-gpu-to-spirv --verify-diagnostics

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  gpu.func @unknown_width(%x: f32, %width: i32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{expected the width to be the subgroup size, 16, got a value that is not constant}}
    %0, %1 = gpu.shuffle down %x, %width, %width : f32
    gpu.return
  }
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  gpu.func @width_of_clusters(%x: f32, %lane: i32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %width = arith.constant 8 : i32
    // expected-error @below {{expected the width to be the subgroup size, 16, got 8}}
    %0, %1 = gpu.shuffle idx %x, %lane, %width : f32
    gpu.return
  }
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  gpu.func @no_subgroup_size(%x: f32, %lane: i32) kernel {
    %width = arith.constant 8 : i32
    // expected-error @below {{expected the kernel to have a subgroup size, got none}}
    %0, %1 = gpu.shuffle xor %x, %lane, %width : f32
    gpu.return
  }
}
}

// -----

// An op without a pattern is an error at its location.

module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:pvc", family = intel_gpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  gpu.func @first_active_lane(%x: f32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{failed to legalize operation 'gpu.subgroup_broadcast'}}
    %0 = gpu.subgroup_broadcast %x, first_active_lane : f32
    gpu.return
  }
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  gpu.func @result_of_atomic(%x: f32, %a: memref<?xf32>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{failed to legalize operation 'memref.atomic_rmw'}}
    %0 = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<?xf32>) -> f32
    memref.store %0, %a[%i] : memref<?xf32>
    gpu.return
  }
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  gpu.func @view_at_a_dynamic_place(%x: f32, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %size = arith.constant 4 : index
    %buffer = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
    // expected-error @below {{failed to legalize operation 'memref.view'}}
    %a = memref.view %buffer[%i][%size]
      : memref<64xi8, #gpu.address_space<workgroup>>
        to memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
}
