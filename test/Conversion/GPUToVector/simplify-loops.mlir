// RUN: tinytc-opt %s --tinytc-simplify-loops --allow-unregistered-dialect | FileCheck %s

// What is outside of loops stays.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[N:.*]]: index, %[[F:.*]]: index) -> index
// CHECK: arith.addi
// CHECK: scf.for %[[I:.*]] =
// CHECK-NOT: arith.addi
// CHECK: scf.for
// CHECK-NEXT: "use"(%[[I]])
// CHECK: "use"(%[[I]])
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
