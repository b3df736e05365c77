// RUN: not tinytc-opt %s --convert-scf-to-spirv 2>&1 | FileCheck %s

// No attribute of a loop says whether drivers may unroll it.

module attributes {spirv.target_env = #spirv.target_env<
    #spirv.vce<v1.4, [Kernel, Addresses, Int64], []>, #spirv.resource_limits<>>} {
func.func @control(%n: index, %a: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: found unsupported 'spirv.loop_control' attribute
  scf.for %i = %zero to %n step %one {
  } {spirv.loop_control = #spirv.loop_control<DontUnroll>}
  return
}
}
