// RUN: tinytc-opt %s --pass-pipeline='builtin.module(spirv.module(spirv-lower-abi-attrs))' \
// RUN:   | FileCheck %s

// The interface of an entry point lacks the variables of functions that it calls.

// CHECK: spirv.EntryPoint "Kernel" @kernel{{$}}
spirv.module Physical64 OpenCL attributes {spirv.target_env = #spirv.target_env<
    #spirv.vce<v1.4, [Kernel, Addresses, Int64], []>, #spirv.resource_limits<>>} {
  spirv.GlobalVariable @id built_in("LocalInvocationId")
      : !spirv.ptr<vector<3xi64>, Input>
  spirv.func @called() "None" {
    %0 = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi64>, Input>
    spirv.Return
  }
  spirv.func @kernel() "None" attributes {spirv.entry_point_abi =
      #spirv.entry_point_abi<workgroup_size = [4, 1, 1]>} {
    spirv.FunctionCall @called() : () -> ()
    spirv.Return
  }
}
