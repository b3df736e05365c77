// RUN: tinytc-opt %s --tinytc-adjoint="wrt=x atomic report local-memory-bytes=64" --split-input-file --verify-diagnostics | FileCheck %s

// The memory of each iteration, and the number of iterations, are those of the launch.
// CHECK-LABEL: @loop_vjp(
//  CHECK-SAME:   !tinytc.memref<?xf32> {tinytc.buffer = array<i64: 0, 0, 0, 1>},
//  CHECK-SAME:   %[[KEPT:[a-z0-9]*]]: !tinytc.memref<?x?xf32> {tinytc.buffer = array<i64: 0, 0, 0, 1, 1, -1, 1, 2>})
//       CHECK:   tinytc.for %[[I:.*]] =
//       CHECK:     %[[PASSED:.*]] = tinytc.arith.div %{{.*}}, %{{.*}}
//       CHECK:     tinytc.subview %[[KEPT]][0:%{{.*}}, %[[PASSED]]]
//       CHECK:   tinytc.for
tinytc.func @loop(%x: !tinytc.memref<?xf32>, %n: index) {
  %one = tinytc.constant 1.0 : f32
  %c0 = tinytc.constant 0 : index
  %c2 = tinytc.constant 2 : index
  %size = tinytc.size %x[0] : !tinytc.memref<?xf32>
  // expected-remark @+1 {{its adjoint needs what each iteration begins with: kept in a buffer}}
  tinytc.for %i = %c0, %n, %c2 {
    tinytc.foreach (%j) = (%c0), (%size) {
      %a = tinytc.load %x[%j] : !tinytc.memref<?xf32>
      %b = tinytc.arith.mul %a, %a : f32
      tinytc.store %b, %x[%j] : f32, !tinytc.memref<?xf32>
    }
  }
}

// -----

// Each group has a part. A static size needs no numbers.
// CHECK-LABEL: @parts_vjp(
//  CHECK-SAME:   %[[KEPT:[a-z0-9]*]]: !tinytc.memref<100x?x?xf32> {tinytc.buffer = array<i64: -1, 0, 0, 1, -1, 1, 0, 1>})
//   CHECK-DAG:   %[[X:.*]] = tinytc.builtin.group_id : index
//   CHECK-DAG:   %[[Y:.*]] = tinytc.builtin.group_id y
//       CHECK:   tinytc.subview %[[KEPT]][0:100, %[[X]], %[[Y]]]
tinytc.func @parts(%x: !tinytc.memref<?x?xf32>) {
  %c0 = tinytc.constant 0 : index
  %c100 = tinytc.constant 100 : index
  %g = tinytc.builtin.group_id : index
  %h = tinytc.builtin.group_id y : index
  %first = tinytc.load %x[%g, %h] : !tinytc.memref<?x?xf32>
  // expected-remark @+1 {{kept in a buffer}}
  %last = tinytc.for %i = %c0, %c100 init (%v = %first) -> (f32) {
    %w = tinytc.arith.mul %v, %v : f32
    tinytc.yield %w : f32
  }
  tinytc.store %last, %x[%g, %h] : f32, !tinytc.memref<?x?xf32>
}

// -----

// The number of iterations depends on the outer loop: they run again.
// CHECK-LABEL: @nested_vjp(
//  CHECK-SAME:   !tinytc.memref<?xf32> {tinytc.buffer = array<i64: 1, -1, 0, 1>})
tinytc.func @nested(%x: !tinytc.memref<f32>, %n: index) {
  %c0 = tinytc.constant 0 : index
  %first = tinytc.load %x[] : !tinytc.memref<f32>
  // expected-remark @+1 {{kept in a buffer}}
  %last = tinytc.for %i = %c0, %n init (%v = %first) -> (f32) {
    // expected-remark @+1 {{computed again from the first iteration}}
    %inner = tinytc.for %j = %c0, %i init (%w = %v) -> (f32) {
      %y = tinytc.arith.mul %w, %w : f32
      tinytc.yield %y : f32
    }
    tinytc.yield %inner : f32
  }
  tinytc.store %last, %x[] : f32, !tinytc.memref<f32>
}

// -----

// A copy that local memory cannot hold.
// CHECK-LABEL: @large_vjp(
//  CHECK-SAME:   %[[KEPT:[a-z0-9]*]]: !tinytc.memref<32xf32> {tinytc.buffer = array<i64>})
//       CHECK:   tinytc.axpby n %{{.*}}, %{{.*}}, %{{.*}}, %[[KEPT]]
tinytc.func @large(%x: !tinytc.memref<32xf32>, %y: !tinytc.memref<32xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n %one, %x, %one, %y : f32, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
  tinytc.hadamard_product %one, %y, %y, %one, %x
    : f32, !tinytc.memref<32xf32>, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
}
