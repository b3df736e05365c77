// RUN: tinytc-opt %s --spirv-update-vce | FileCheck %s

// Neither atomic updates of 64 bits nor imported functions bring their capabilities.

// CHECK: requires #spirv.vce<v1.0, [Int64, Addresses, Kernel], []>
spirv.module Physical64 OpenCL attributes {spirv.target_env = #spirv.target_env<
    #spirv.vce<v1.4, [Kernel, Addresses, Int64, Int64Atomics, Linkage], []>,
    #spirv.resource_limits<>>} {
  spirv.func @imported(i32) -> i32 "None" attributes {linkage_attributes =
      #spirv.linkage_attributes<linkage_name = "f", linkage_type = <Import>>}
  spirv.func @update(%p: !spirv.ptr<i64, CrossWorkgroup>, %x: i64) -> i64 "None" {
    %0 = spirv.AtomicIAdd <Device> <None> %p, %x : !spirv.ptr<i64, CrossWorkgroup>
    spirv.ReturnValue %0 : i64
  }
}
