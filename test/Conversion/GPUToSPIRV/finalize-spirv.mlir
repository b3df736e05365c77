// RUN: tinytc-opt %s --tinytc-finalize-spirv | FileCheck %s

//       CHECK: spirv.module Physical64 OpenCL
//  CHECK-SAME:   #spirv.vce<v1.4, [Kernel, Addresses], []>
//   CHECK-NOT:   spirv.target_env
spirv.module Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel, Addresses], []>
    attributes {spirv.target_env = #spirv.target_env<
      #spirv.vce<v1.4, [Kernel, Addresses, Int64], []>, #spirv.resource_limits<>>} {
  // CHECK-LABEL: @kernel
  //   CHECK-NOT:   known_block_size
  //   CHECK-NOT:   workgroup_attributions
  spirv.func @kernel() "None"
      attributes {known_block_size = array<i32: 16, 1, 1>, workgroup_attributions = 0} {
    spirv.Return
  }
}
