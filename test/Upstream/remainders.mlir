// RUN: tinytc-opt %s --convert-arith-to-spirv | FileCheck %s

// The remainder is computed from absolute values, which the smallest integer does not have.

module attributes {spirv.target_env = #spirv.target_env<
    #spirv.vce<v1.4, [Kernel, Addresses, Int64], []>, #spirv.resource_limits<>>} {
// CHECK-LABEL: @remainder
//       CHECK:   spirv.CL.s_abs
//   CHECK-NOT:   spirv.SRem
func.func @remainder(%a: i32, %b: i32) -> i32 {
  %rest = arith.remsi %a, %b : i32
  return %rest : i32
}
}
