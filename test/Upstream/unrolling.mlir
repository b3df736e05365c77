// RUN: tinytc-opt %s --transform-interpreter | FileCheck %s

// The number of iterations is a quotient of unsigned numbers: a loop whose upper bound is
// below the lower one runs for ever.

module attributes {transform.with_named_sequence} {
// CHECK-LABEL: @unroll
//  CHECK-SAME:   (%[[N:.*]]: index, %[[M:.*]]: index,
//       CHECK:   arith.subi %[[M]], %[[N]] : index
//       CHECK:   arith.divui
//       CHECK:   scf.for
func.func @unroll(%n: index, %m: index, %a: memref<?xf32>, %x: f32) {
  %one = arith.constant 1 : index
  scf.for %i = %n to %m step %one {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  return
}
transform.named_sequence @__transform_main(%root: !transform.any_op) {
  %loop = transform.structured.match ops{["scf.for"]} in %root
      : (!transform.any_op) -> !transform.op<"scf.for">
  transform.loop.unroll %loop {factor = 4} : !transform.op<"scf.for">
  transform.yield
}
}
