// RUN: tinytc-opt %s --convert-scf-to-spirv | FileCheck %s

// A loop without iterations results in what no store has written, instead of %x.

module attributes {spirv.target_env = #spirv.target_env<
    #spirv.vce<v1.4, [Kernel, Addresses, Int64], []>, #spirv.resource_limits<>>} {
// CHECK-LABEL: @zero_trip
//       CHECK:   %[[RESULT:.*]] = spirv.Variable : !spirv.ptr<f32, Function>
//   CHECK-NOT:   spirv.Store
//       CHECK:   spirv.mlir.loop
func.func @zero_trip(%n: index, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %result = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> (f32) {
    %next = arith.addf %sum, %sum : f32
    scf.yield %next : f32
  }
  return %result : f32
}
}
