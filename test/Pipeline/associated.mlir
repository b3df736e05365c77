// RUN: tinytc-opt %s --split-input-file --lower-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: tinytc-opt %s --split-input-file --lower-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: tinytc-opt %s --split-input-file --lower-to-spirv | FileCheck %s

// The pointer itself is compared, without the offset of the view.
// LINALG-LABEL: @memref
//       LINALG:   %[[P:.*]] = memref.extract_aligned_pointer_as_index
//       LINALG:   arith.cmpi ne, %[[P]], %c0
// GPU-LABEL: gpu.func @memref
//  GPU-SAME:   %{{[^:]*}}: f32, %[[A:[^:]*]]: memref<?xf32>
//       GPU:   memref.extract_aligned_pointer_as_index %[[A]] : memref<?xf32> -> index
// CHECK-LABEL: spirv.func @memref
//  CHECK-SAME:   %{{[^:]*}}: f32, %[[A:[^:]*]]: !spirv.ptr<f32, CrossWorkgroup>
//       CHECK:   %[[P:.*]] = spirv.ConvertPtrToU %[[A]] : !spirv.ptr<f32, CrossWorkgroup> to i64
//       CHECK:   spirv.INotEqual %[[P]], %{{.*}} : i64
tinytc.func @memref(%x: f32, %A: !tinytc.memref<4xf32>) {
  %a = tinytc.subview %A[2:2] : !tinytc.memref<4xf32> -> !tinytc.memref<2xf32>
  %i = tinytc.builtin.group_id : index
  %0 = tinytc.associated %a : !tinytc.memref<2xf32>
  tinytc.if %0 {
    tinytc.store %x, %A[%i] : f32, !tinytc.memref<4xf32>
  }
}

// -----

// CHECK-LABEL: spirv.func @group
//  CHECK-SAME:   %[[G:[^:]*]]: !spirv.ptr<!spirv.ptr<f32, CrossWorkgroup>, CrossWorkgroup>
//       CHECK:   spirv.ConvertPtrToU %[[G]]
tinytc.func @group(%x: f32, %G: !tinytc.group<!tinytc.memref<f32> x ?>) {
  %i = tinytc.builtin.group_id : index
  %0 = tinytc.associated %G : !tinytc.group<!tinytc.memref<f32> x ?>
  tinytc.if %0 {
    %A = tinytc.load %G[%i] : !tinytc.group<!tinytc.memref<f32> x ?>
    tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
  }
}
