// RUN: tinytc-opt %s --spirv-update-vce | FileCheck %s

// An entry point that lists a variable in local memory needs SPIR-V 1.4.

// CHECK: requires #spirv.vce<v1.0,
spirv.module Physical64 OpenCL attributes {spirv.target_env = #spirv.target_env<
    #spirv.vce<v1.4, [Kernel, Addresses, Int64], []>, #spirv.resource_limits<>>} {
  spirv.GlobalVariable @local : !spirv.ptr<!spirv.array<4 x i32>, Workgroup>
  spirv.func @kernel() "None" {
    spirv.Return
  }
  spirv.EntryPoint "Kernel" @kernel, @local
}
