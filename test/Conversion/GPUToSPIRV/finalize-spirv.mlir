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

// Capabilities that upstream overlooks.
//       CHECK: spirv.module Physical64 OpenCL
//  CHECK-SAME:   #spirv.vce<v1.4, [Kernel, Linkage, Int64Atomics], []>
spirv.module Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel], []> {
  spirv.func @imported(f32) -> f32 "None" attributes {linkage_attributes =
    #spirv.linkage_attributes<linkage_name = "f", linkage_type = <Import>>}
  spirv.func @exchange(%a: !spirv.ptr<i64, CrossWorkgroup>, %x: i64) "None" {
    %0 = spirv.AtomicExchange <Device> <None> %a, %x : !spirv.ptr<i64, CrossWorkgroup>
    spirv.Return
  }
}

// Variables are at the start of the function.
// CHECK-LABEL: spirv.func @variable
//  CHECK-NEXT:   spirv.Variable
//  CHECK-NEXT:   spirv.mlir.loop
spirv.module Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel], []> {
  spirv.func @variable(%x: i32, %again: i1) "None" {
    spirv.mlir.loop {
      spirv.Branch ^header
    ^header:
      %0 = spirv.Variable : !spirv.ptr<i32, Function>
      spirv.Store "Function" %0, %x : i32
      spirv.BranchConditional %again, ^body, ^merge
    ^body:
      spirv.Branch ^header
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
}
