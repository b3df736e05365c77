// RUN: tinytc-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: tinytc-opt %s --canonicalize | FileCheck %s --check-prefix=DCE
// RUN: tinytc-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: tinytc-opt %s --sccp | FileCheck %s --check-prefix=SCCP

// CSE-LABEL: @cse
// CSE-COUNT-1: tinytc.builtin.group_id
// CSE-COUNT-1: tinytc.subview
// CSE: %[[X:.*]] = tinytc.load
// CSE-NOT: tinytc.load
// CSE: tinytc.arith.add %[[X]], %[[X]]
// There is a store between this load and those before it.
// CSE: tinytc.store
// CSE: tinytc.load
tinytc.func @cse(%A: !tinytc.memref<16x?xf32>, %c: index) {
  %0 = tinytc.builtin.group_id : index
  %1 = tinytc.builtin.group_id : index
  %2 = tinytc.subview %A[0:16, %0] : !tinytc.memref<16x?xf32> -> !tinytc.memref<16xf32>
  %3 = tinytc.subview %A[0:16, %1] : !tinytc.memref<16x?xf32> -> !tinytc.memref<16xf32>
  %4 = tinytc.load %2[%c] : !tinytc.memref<16xf32>
  %5 = tinytc.load %3[%c] : !tinytc.memref<16xf32>
  %6 = tinytc.arith.add %4, %5 : f32
  tinytc.store %6, %2[%c] : f32, !tinytc.memref<16xf32>
  %7 = tinytc.load %2[%c] : !tinytc.memref<16xf32>
  tinytc.store %7, %3[%0] : f32, !tinytc.memref<16xf32>
}

// DCE-LABEL: @dead_code
// DCE-NEXT: }
tinytc.func @dead_code(%A: !tinytc.memref<16xf32>, %i: index, %a: i32, %b: i32) {
  %0 = tinytc.alloca : !tinytc.memref<16xf32, local>
  %1 = tinytc.load %A[%i] : !tinytc.memref<16xf32>
  %2 = tinytc.math.exp %1 : f32
  %3 = tinytc.arith.div %a, %b : i32
}

// DCE-LABEL: @negative_dead_code
// DCE: tinytc.barrier
tinytc.func @negative_dead_code() {
  tinytc.parallel {
    tinytc.barrier
  }
}

// The product moves; the quotient may trap and the load may change.
// LICM-LABEL: @licm
// LICM: tinytc.arith.mul
// LICM-NEXT: tinytc.for
// LICM-NEXT: tinytc.arith.div
// LICM-NEXT: tinytc.load
tinytc.func @licm(%A: !tinytc.memref<i32>, %i: index, %a: i32, %b: i32) {
  tinytc.for %j = %i, %i {
    %0 = tinytc.arith.mul %a, %b : i32
    %1 = tinytc.arith.div %0, %b : i32
    %2 = tinytc.load %A[] : !tinytc.memref<i32>
    %3 = tinytc.arith.add %1, %2 : i32
    tinytc.store %3, %A[] : i32, !tinytc.memref<i32>
  }
}

// What a subgroup computes together stays where its work-items are.
// LICM-LABEL: @negative_licm
// LICM: tinytc.for
// LICM-NEXT: tinytc.subgroup_add
tinytc.func @negative_licm(%A: !tinytc.memref<f32>, %i: index, %x: f32) {
  tinytc.parallel {
    tinytc.for %j = %i, %i {
      %0 = tinytc.subgroup_add reduce %x : f32
      tinytc.store %0, %A[] : f32, !tinytc.memref<f32>
    }
  }
}

// SCCP-LABEL: @sccp
// SCCP-DAG: %[[C3:.*]] = tinytc.constant 3 : i32
// SCCP: tinytc.store %[[C3]]
tinytc.func @sccp(%A: !tinytc.memref<i32>, %i: index, %unused: i32) {
  %true = tinytc.constant true
  %c1 = tinytc.constant 1 : i32
  %c2 = tinytc.constant 2 : i32
  %0 = tinytc.if %true -> (i32) {
    tinytc.yield %c1 : i32
  } else {
    tinytc.yield %unused : i32
  }
  // The loop carries the same value around.
  %1 = tinytc.for %j = %i, %i init(%y = %c2) -> (i32) {
    tinytc.yield %y : i32
  }
  %2 = tinytc.arith.add %0, %1 : i32
  tinytc.store %2, %A[] : i32, !tinytc.memref<i32>
}
