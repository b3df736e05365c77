// RUN: tinytc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @constant_if
// CHECK-SAME: %[[X:[^:]+]]: f32, %[[Y:[^:]+]]: f32,
// CHECK-NOT: tinytc.if
// CHECK: tinytc.store %[[Y]]
tinytc.func @constant_if(%x: f32, %y: f32, %A: !tinytc.memref<f32>) {
  %false = tinytc.constant false
  tinytc.if %false {
    tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
  }
  %0 = tinytc.if %false -> (f32) {
    tinytc.yield %x : f32
  } else {
    tinytc.yield %y : f32
  }
  tinytc.store %0, %A[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @loop_without_iterations
// CHECK-SAME: %[[X:[^:]+]]: f32,
// CHECK-NOT: tinytc.for
// CHECK: tinytc.store %[[X]]
tinytc.func @loop_without_iterations(%x: f32, %A: !tinytc.memref<f32>) {
  %c4 = tinytc.constant 4 : index
  %0 = tinytc.for %i = %c4, %c4 init(%y = %x) -> (f32) {
    %1 = tinytc.arith.neg %y : f32
    tinytc.yield %1 : f32
  }
  tinytc.store %0, %A[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @loop_with_one_iteration
// CHECK-NOT: tinytc.for
// CHECK: %[[NEG:.*]] = tinytc.arith.neg
// CHECK: tinytc.store %[[NEG]]
tinytc.func @loop_with_one_iteration(%x: f32, %A: !tinytc.memref<f32>) {
  %c1 = tinytc.constant 1 : i32
  %c4 = tinytc.constant 4 : i32
  %0 = tinytc.for %i : i32 = %c1, %c4, %c4 init(%y = %x) -> (f32) {
    %1 = tinytc.arith.neg %y : f32
    tinytc.yield %1 : f32
  }
  tinytc.store %0, %A[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @negative_loop_with_two_iterations
// CHECK: tinytc.for
tinytc.func @negative_loop_with_two_iterations(%x: f32, %A: !tinytc.memref<f32>) {
  %c1 = tinytc.constant 1 : i8
  %c3 = tinytc.constant 3 : i8
  tinytc.for %i : i8 = %c1, %c3 {
    tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
  }
}
