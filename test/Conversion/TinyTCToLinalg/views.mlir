// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Views are memref.reinterpret_cast with a dynamic offset.

// CHECK-LABEL: @subview
//  CHECK-SAME:   (%[[A:.*]]: memref<8x6xf32, strided<[1, 8]>>)
//       CHECK:   %[[VIEW:.*]] = memref.cast %[[A]]
//       CHECK:   %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[VIEW]]
//       CHECK:   %[[ROWS:.*]] = arith.addi %[[OFFSET]], %c2
//       CHECK:   %[[COLUMNS:.*]] = arith.addi %[[ROWS]], %c24
//       CHECK:   memref.reinterpret_cast %[[BASE]] to offset: [%[[COLUMNS]]], sizes: [4], strides: [1]
//  CHECK-SAME:   to memref<4xf32, strided<[1], offset: ?>>
tinytc.func @subview(%a: !tinytc.memref<8x6xf32>) {
  %b = tinytc.subview %a[2:4, 3] : !tinytc.memref<8x6xf32> -> !tinytc.memref<4xf32>
  %x = tinytc.constant 0 : index
  %y = tinytc.load %b[%x] : !tinytc.memref<4xf32>
}

// The first of the new modes is the fastest one.
// CHECK-LABEL: @expand
//       CHECK:   memref.reinterpret_cast {{.*}} sizes: [2, 6, 3], strides: [1, 2, 12]
tinytc.func @expand(%a: !tinytc.memref<12x3xf32>) {
  %b = tinytc.expand %a[0 -> 2 by 6]
    : !tinytc.memref<12x3xf32> -> !tinytc.memref<2x6x3xf32>
}

// CHECK-LABEL: @fuse
//       CHECK:   memref.reinterpret_cast {{.*}} sizes: [4, 30], strides: [1, 4]
tinytc.func @fuse(%a: !tinytc.memref<4x5x6xf32>) {
  %b = tinytc.fuse %a[1, 2] : !tinytc.memref<4x5x6xf32> -> !tinytc.memref<4x30xf32>
}

// CHECK-LABEL: @size
//  CHECK-SAME:   (%[[A:.*]]: memref<4x?xf32, strided<[1, 4]>>, %[[GROUP:.*]]: memref<?xmemref<4xf32, strided<[1]>>>)
//       CHECK:   memref.dim %{{.*}}, %c1
//       CHECK:   memref.dim %[[GROUP]], %c0
tinytc.func @size(%a: !tinytc.memref<4x?xf32>,
                  %A: !tinytc.group<!tinytc.memref<4xf32> x ?>) {
  %m = tinytc.size %a[1] : !tinytc.memref<4x?xf32>
  %n = tinytc.size %A[0] : !tinytc.group<!tinytc.memref<4xf32> x ?>
}

// CHECK-LABEL: @expandc2r
//       CHECK:   %[[PARTS:.*]] = tinytc.complex_parts expanded %{{.*}} : memref<4x?xcomplex<f32>, strided<[1, 4], offset: ?>>
//   CHECK-NOT:   memref.
//       CHECK:   memref.load %[[PARTS]][%{{.*}}] : memref<2x4x?xf32, strided<[1, 2, 8], offset: ?>>
tinytc.func @expandc2r(%a: !tinytc.memref<4x?xcomplex<f32>>, %i: index, %c: !tinytc.memref<f32>) {
  %b = tinytc.expandc2r %a : !tinytc.memref<4x?xcomplex<f32>> -> !tinytc.memref<2x4x?xf32>
  %x = tinytc.load %b[%i, %i, %i] : !tinytc.memref<2x4x?xf32>
  tinytc.store %x, %c[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @expandc2r_of_dynamic_strides
//       CHECK:   %[[PARTS:.*]] = tinytc.complex_parts expanded
//       CHECK:   memref.cast %[[PARTS]] : memref<2x4xf64, strided<[1, 2], offset: ?>> to memref<2x4xf64, strided<[1, ?], offset: ?>>
tinytc.func @expandc2r_of_dynamic_strides(%a: !tinytc.memref<4xcomplex<f64>>) {
  %b = tinytc.expandc2r %a
    : !tinytc.memref<4xcomplex<f64>> -> !tinytc.memref<2x4xf64, strided<1,?>>
}
