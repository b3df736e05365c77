// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target,tinytc.func(tinytc-pack-transposed))' | FileCheck %s

// A is transposed once, instead of being read across its lines for every column.
// CHECK-LABEL: @product
//  CHECK-SAME:   (%[[A:[^:]*]]: !tinytc.memref<8x20xf32>
//       CHECK:   %[[PACKED:.*]] = tinytc.alloca : !tinytc.memref<20x8xf32, local>
//       CHECK:   %[[ONE:.*]] = tinytc.constant 1.0
//       CHECK:   %[[ZERO:.*]] = tinytc.constant 0.0
//       CHECK:   tinytc.axpby t %[[ONE]], %[[A]], %[[ZERO]], %[[PACKED]]
//       CHECK:   tinytc.gemm n n %{{.*}}, %[[PACKED]],
//       CHECK:   tinytc.lifetime_stop %[[PACKED]]
tinytc.func @product(%a: !tinytc.memref<8x20xf32>, %b: !tinytc.memref<8x16xf32>,
                     %c: !tinytc.memref<20x16xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<8x20xf32>, !tinytc.memref<8x16xf32>, f32,
      !tinytc.memref<20x16xf32>
}

// CHECK-LABEL: @complex
//       CHECK:   tinytc.axpby t
//       CHECK:   tinytc.gemm n t
tinytc.func @complex(%a: !tinytc.memref<8x20xcomplex<f32>>,
                     %b: !tinytc.memref<16x8xcomplex<f32>>,
                     %c: !tinytc.memref<20x16xcomplex<f32>>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t t %one, %a, %b, %one, %c
    : f32, !tinytc.memref<8x20xcomplex<f32>>, !tinytc.memref<16x8xcomplex<f32>>, f32,
      !tinytc.memref<20x16xcomplex<f32>>
}

// Few columns read A once, and half of the local memory is not enough for a large A.
// CHECK-LABEL: @few_columns
//   CHECK-NOT:   alloca
//       CHECK:   tinytc.gemm t n
tinytc.func @few_columns(%a: !tinytc.memref<8x20xf32>, %b: !tinytc.memref<8x4xf32>,
                         %c: !tinytc.memref<20x4xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<8x20xf32>, !tinytc.memref<8x4xf32>, f32, !tinytc.memref<20x4xf32>
}

// CHECK-LABEL: @large
//   CHECK-NOT:   alloca
//       CHECK:   tinytc.gemm t n
tinytc.func @large(%a: !tinytc.memref<256x256xf32>, %b: !tinytc.memref<256x16xf32>,
                   %c: !tinytc.memref<256x16xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<256x256xf32>, !tinytc.memref<256x16xf32>, f32,
      !tinytc.memref<256x16xf32>
}
