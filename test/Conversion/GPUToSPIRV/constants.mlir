// RUN: tinytc-opt %s --split-input-file --verify-diagnostics --tinytc-convert-gpu-to-spirv \
// RUN:   | FileCheck %s

// The bytes of a module have the elements of a constant, which is an attribute until
// then.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // CHECK: spirv.GlobalVariable @values {tinytc.elements = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : !spirv.ptr<!spirv.array<2 x f32>, CrossWorkgroup>
  memref.global "private" constant @values : memref<2xf32> = dense<[1.0, 2.0]>
  // CHECK: spirv.GlobalVariable @places {tinytc.elements = dense<3> : tensor<2xi64>} : !spirv.ptr<!spirv.array<2 x i64>, CrossWorkgroup>
  memref.global "private" constant @places : memref<2xindex> = dense<3>
  // An array of SPIR-V has an element.
  // CHECK: spirv.GlobalVariable @none {tinytc.elements = dense<> : tensor<0xf32>} : !spirv.ptr<!spirv.array<1 x f32>, CrossWorkgroup>
  memref.global "private" constant @none : memref<0xf32> = dense<[]>
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // expected-error @+2 {{failed to legalize operation 'memref.global'}}
  // expected-error @+1 {{expected at most 65532 elements of a constant for SPIR-V, got 65533; pass it as a parameter}}
  memref.global "private" constant @values : memref<65533xf32> = dense<1.0>
}
}
