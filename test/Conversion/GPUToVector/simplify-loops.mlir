// RUN: tinytc-opt %s --tinytc-simplify-loops --allow-unregistered-dialect | FileCheck %s

// All is canonical, outside of loops as well.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[N:.*]]: index, %[[F:.*]]: index) -> index
// CHECK-NOT: arith.addi
// CHECK: scf.for %[[I:.*]] =
// CHECK-NOT: arith.addi
// CHECK: scf.for
// CHECK-NEXT: "use"(%[[I]])
// CHECK: "use"(%[[I]])
// CHECK: return %[[N]]
func.func @nested(%n: index, %f: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %outside = arith.addi %n, %zero : index
  scf.for %i = %zero to %n step %one {
    %outer = arith.addi %i, %zero : index
    scf.for %j = %zero to %n step %one {
      %inner = arith.addi %outer, %zero : index
      "use"(%inner) : (index) -> ()
    }
    "use"(%outer) : (index) -> ()
  }
  return %outside : index
}

// Loops carry equal values once, and conditionals yield them once.
// CHECK-LABEL: func.func @equal(
// CHECK-SAME: %[[N:.*]]: index, %[[A:.*]]: index, %[[B:.*]]: index, %[[IS_FIRST:.*]]: i1)
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[FIRST:.*]] = %[[A]], %[[OTHER:.*]] = %[[B]])
// CHECK: %[[MORE:.*]] = "more"(%[[FIRST]], %[[FIRST]], %[[OTHER]])
// CHECK: scf.yield %[[MORE]], %[[MORE]] : index, index
// CHECK: %[[CHOSEN:.*]] = scf.if %[[IS_FIRST]] -> (index) {
// CHECK: return %[[SUMS]]#0, %[[SUMS]]#0, %[[SUMS]]#1, %[[CHOSEN]], %[[CHOSEN]]
func.func @equal(%n: index, %a: index, %b: index, %is_first: i1)
    -> (index, index, index, index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sums:3 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %a, %z = %b) -> (index, index, index) {
    %more = "more"(%x, %y, %z) : (index, index, index) -> index
    scf.yield %more, %more, %more : index, index, index
  }
  %chosen:2 = scf.if %is_first -> (index, index) {
    %f = "f"() : () -> index
    scf.yield %f, %f : index, index
  } else {
    %g = "g"() : () -> index
    scf.yield %g, %g : index, index
  }
  return %sums#0, %sums#1, %sums#2, %chosen#0, %chosen#1 : index, index, index, index, index
}
