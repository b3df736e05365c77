// RUN: tinytc-opt %s --split-input-file --tinytc-convert-gpu-to-spirv --verify-diagnostics

// Atomic accesses to memory that has no pointers to elements in SPIR-V are errors.

#cpu = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [16],
                      max_work_group_size = 8192, local_memory_bytes = 262144, f64 = true>
module attributes {tinytc.target = #cpu} {
gpu.module @kernels {
  gpu.func @dynamic_strides(%A: memref<?x?xf32>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{failed to legalize operation 'tinytc.atomic'}}
    %0 = tinytc.atomic load device relaxed %A[%i, %i] : memref<?x?xf32> -> f32
    gpu.return
  }
}
}

// -----

#cpu = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [16],
                      max_work_group_size = 8192, local_memory_bytes = 262144, f64 = true>
module attributes {tinytc.target = #cpu} {
gpu.module @kernels {
  gpu.func @dynamic_offset(%A: memref<?xf32, strided<[3], offset: ?>>, %i: index, %x: f32)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{failed to legalize operation 'tinytc.atomic'}}
    %0 = tinytc.atomic max device relaxed %A[%i], %x
      : memref<?xf32, strided<[3], offset: ?>>, f32 -> f32
    gpu.return
  }
}
}

// -----

#cpu = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [16],
                      max_work_group_size = 8192, local_memory_bytes = 262144, f64 = true>
module attributes {tinytc.target = #cpu} {
gpu.module @kernels {
  gpu.func @bf16(%A: memref<?xbf16>, %i: index, %x: bf16) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{failed to legalize operation 'tinytc.atomic'}}
    %0 = tinytc.atomic add device relaxed %A[%i], %x : memref<?xbf16>, bf16 -> bf16
    gpu.return
  }
}
}

// -----

#cpu = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [16],
                      max_work_group_size = 8192, local_memory_bytes = 262144, f64 = true>
module attributes {tinytc.target = #cpu} {
gpu.module @kernels {
  gpu.func @atomic_rmw(%A: memref<?x?xf32>, %i: index, %x: f32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{failed to legalize operation 'memref.atomic_rmw'}}
    %0 = memref.atomic_rmw addf %x, %A[%i, %i] : (f32, memref<?x?xf32>) -> f32
    gpu.return
  }
}
}

// -----

#cpu = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [16],
                      max_work_group_size = 8192, local_memory_bytes = 262144, f64 = true>
module attributes {tinytc.target = #cpu} {
gpu.module @kernels {
  gpu.func @generic_atomic_rmw(%A: memref<?x?xf32>, %i: index, %x: f32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    // expected-error @below {{failed to legalize operation 'memref.generic_atomic_rmw'}}
    %0 = memref.generic_atomic_rmw %A[%i, %i] : memref<?x?xf32> {
    ^bb0(%old: f32):
      %new = arith.mulf %old, %x : f32
      memref.atomic_yield %new : f32
    }
    gpu.return
  }
}
}
