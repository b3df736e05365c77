// RUN: tinytc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @static_size
tinytc.func @static_size(%A: !tinytc.memref<16x?xf32>, %B: !tinytc.memref<3xindex>,
                         %G: !tinytc.group<!tinytc.memref<f32> x 42>, %i: index) {
  // CHECK-DAG: %[[C16:.*]] = tinytc.constant 16 : index
  // CHECK-DAG: %[[C42:.*]] = tinytc.constant 42 : index
  // CHECK: tinytc.store %[[C16]]
  %0 = tinytc.size %A[0] : !tinytc.memref<16x?xf32>
  tinytc.store %0, %B[%i] : index, !tinytc.memref<3xindex>
  // CHECK: tinytc.store %[[C42]]
  %1 = tinytc.size %G[0] : !tinytc.group<!tinytc.memref<f32> x 42>
  tinytc.store %1, %B[%i] : index, !tinytc.memref<3xindex>
  // CHECK: tinytc.size %{{.*}}[1]
  %2 = tinytc.size %A[1] : !tinytc.memref<16x?xf32>
  tinytc.store %2, %B[%i] : index, !tinytc.memref<3xindex>
}

// CHECK-LABEL: @size_of_view
// CHECK-SAME: %[[N:[^:]+]]: index, %[[A:[^:]+]]: !tinytc.memref<16x16xf32>, %[[B:[^:]+]]: !tinytc.memref<index>)
tinytc.func @size_of_view(%n: index, %A: !tinytc.memref<16x16xf32>,
                          %B: !tinytc.memref<index>) {
  %0 = tinytc.subview %A[%n, 0:%n] : !tinytc.memref<16x16xf32>
    -> !tinytc.memref<?xf32, strided<16>>
  // CHECK: tinytc.store %[[N]]
  %1 = tinytc.size %0[0] : !tinytc.memref<?xf32, strided<16>>
  tinytc.store %1, %B[] : index, !tinytc.memref<index>
  %2 = tinytc.expand %A[1 -> 2 by %n]
    : !tinytc.memref<16x16xf32> -> !tinytc.memref<16x2x?xf32>
  // CHECK: tinytc.store %[[N]]
  %3 = tinytc.size %2[2] : !tinytc.memref<16x2x?xf32>
  tinytc.store %3, %B[] : index, !tinytc.memref<index>
}

// CHECK-LABEL: @size_of_parts
//  CHECK-SAME: (%[[A:[^:]+]]: !tinytc.memref<?xcomplex<f32>>
//       CHECK:   tinytc.size %[[A]][0]
//   CHECK-NOT:   expandc2r
tinytc.func @size_of_parts(%A: !tinytc.memref<?xcomplex<f32>>, %B: !tinytc.memref<index>) {
  %0 = tinytc.expandc2r %A : !tinytc.memref<?xcomplex<f32>> -> !tinytc.memref<2x?xf32>
  %1 = tinytc.size %0[1] : !tinytc.memref<2x?xf32>
  tinytc.store %1, %B[] : index, !tinytc.memref<index>
}

// CHECK-LABEL: @constant_offsets
// CHECK: tinytc.subview %{{.*}}[2:4, 3]
tinytc.func @constant_offsets(%x: f32, %A: !tinytc.memref<16x8xf32>, %i: index) {
  %c2 = tinytc.constant 2 : index
  %c3 = tinytc.constant 3 : index
  %0 = tinytc.subview %A[%c2:4, %c3]
    : !tinytc.memref<16x8xf32> -> !tinytc.memref<4xf32>
  tinytc.store %x, %0[%i] : f32, !tinytc.memref<4xf32>
}

// Undefined, but not ill-formed: code like this may never run.
// CHECK-LABEL: @negative_constant_offsets
// CHECK: tinytc.subview %{{.*}}[%{{.*}}:4]
tinytc.func @negative_constant_offsets(%x: f32, %A: !tinytc.memref<16xf32>, %i: index) {
  %c = tinytc.constant 14 : index
  %0 = tinytc.subview %A[%c:4] : !tinytc.memref<16xf32> -> !tinytc.memref<4xf32>
  tinytc.store %x, %0[%i] : f32, !tinytc.memref<4xf32>
}

// CHECK-LABEL: @subview_of_subview
// CHECK-SAME: %[[A:[^:]+]]: !tinytc.memref<16x8x4xf32>, %[[I:[^:]+]]: index)
tinytc.func @subview_of_subview(%x: f32, %A: !tinytc.memref<16x8x4xf32>, %i: index) {
  // CHECK: %[[C2:.*]] = tinytc.constant 2 : index
  // CHECK: %[[SUM:.*]] = tinytc.arith.add %[[I]], %[[C2]] : index
  // CHECK: %[[V:.*]] = tinytc.subview %[[A]][5:2, %[[I]], %[[SUM]]] : !tinytc.memref<16x8x4xf32> -> !tinytc.memref<2xf32>
  %0 = tinytc.subview %A[4:8, %i, %i:%i]
    : !tinytc.memref<16x8x4xf32> -> !tinytc.memref<8x?xf32, strided<1,128>>
  %1 = tinytc.subview %0[1:2, 2]
    : !tinytc.memref<8x?xf32, strided<1,128>> -> !tinytc.memref<2xf32>
  // CHECK: tinytc.store %{{.*}}, %[[V]]
  tinytc.store %x, %1[%i] : f32, !tinytc.memref<2xf32>
}

// CHECK-LABEL: @whole
// CHECK-SAME: %[[A:[^:]+]]: !tinytc.memref<16x?xf32>
// CHECK-NOT: tinytc.subview
// CHECK: tinytc.store %{{.*}}, %[[A]]
tinytc.func @whole(%x: f32, %A: !tinytc.memref<16x?xf32>, %i: index) {
  %n = tinytc.size %A[1] : !tinytc.memref<16x?xf32>
  %0 = tinytc.subview %A[0:16, 0:%n]
    : !tinytc.memref<16x?xf32> -> !tinytc.memref<16x?xf32>
  tinytc.store %x, %0[%i, %i] : f32, !tinytc.memref<16x?xf32>
}

// A view is associated if its memref is, whatever the offset.
// CHECK-LABEL: @associated
//  CHECK-SAME:   %[[A:[^:]*]]: !tinytc.memref<8xf32>, %[[G:[^:]*]]: !tinytc.group
//       CHECK:   %[[GIVEN:.*]] = tinytc.associated %[[A]]
//       CHECK:   tinytc.if %[[GIVEN]]
//       CHECK:     tinytc.associated %[[G]]
tinytc.func @associated(%A: !tinytc.memref<8xf32>,
                        %G: !tinytc.group<!tinytc.memref<8xf32> x ?>) {
  %a = tinytc.subview %A[4:4] : !tinytc.memref<8xf32> -> !tinytc.memref<4xf32>
  %0 = tinytc.associated %a : !tinytc.memref<4xf32>
  tinytc.if %0 {
    %1 = tinytc.associated %G : !tinytc.group<!tinytc.memref<8xf32> x ?>
    tinytc.if %1 {
      tinytc.barrier
    }
  }
}

// CHECK-LABEL: @associated_local
//   CHECK-NOT:   tinytc.associated
//       CHECK:   tinytc.barrier
tinytc.func @associated_local() {
  %l = tinytc.alloca : !tinytc.memref<8xf32, local>
  %0 = tinytc.associated %l : !tinytc.memref<8xf32, local>
  tinytc.if %0 {
    tinytc.barrier
  }
}
