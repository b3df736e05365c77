// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target,tinytc-choose-work-group-size,tinytc-choose-strategies,tinytc.func(tinytc-pack-operands))' | FileCheck %s

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

// B is read element by element for all rows, transposed or not.
// CHECK-LABEL: @both
//       CHECK:   %[[PACKED:.*]] = tinytc.alloca : !tinytc.memref<20x8xf32, local>
//       CHECK:   tinytc.axpby t
//       CHECK:   tinytc.gemm n t %{{.*}}, %[[PACKED]],
tinytc.func @both(%a: !tinytc.memref<8x20xf32>, %b: !tinytc.memref<16x8xf32>,
                  %c: !tinytc.memref<20x16xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t t %one, %a, %b, %one, %c
    : f32, !tinytc.memref<8x20xf32>, !tinytc.memref<16x8xf32>, f32,
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

// 128 columns that lie 512 bytes apart fall on eight sets of the cache, which hold 64
// lines. In local memory they are nine lines apart and visit all sets.
// CHECK-LABEL: @collision
//       CHECK:   %[[PACKED:.*]] = tinytc.alloca : !tinytc.memref<128x128xf32, strided<1,144>, local>
//       CHECK:   tinytc.axpby n %{{.*}}, %{{.*}}, %{{.*}}, %[[PACKED]]
//       CHECK:   tinytc.gemm n n %{{.*}}, %[[PACKED]],
tinytc.func @collision(%a: !tinytc.memref<128x128xf32>, %b: !tinytc.memref<128x32xf32>,
                       %c: !tinytc.memref<128x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<128x128xf32>, !tinytc.memref<128x32xf32>, f32,
      !tinytc.memref<128x32xf32>
}

// Columns that are not a power of two apart, or few enough, stay where they are.
// CHECK-LABEL: @no_collision
//   CHECK-NOT:   alloca
tinytc.func @no_collision(%a: !tinytc.memref<120x128xf32>, %b: !tinytc.memref<128x32xf32>,
                          %c: !tinytc.memref<120x32xf32>, %d: !tinytc.memref<128x64xf32>,
                          %e: !tinytc.memref<64x32xf32>, %f: !tinytc.memref<128x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<120x128xf32>, !tinytc.memref<128x32xf32>, f32,
      !tinytc.memref<120x32xf32>
  tinytc.gemm n n %one, %d, %e, %one, %f
    : f32, !tinytc.memref<128x64xf32>, !tinytc.memref<64x32xf32>, f32,
      !tinytc.memref<128x32xf32>
}

// Few columns do not read A often enough, and a large A does not fit in local memory.
// CHECK-LABEL: @few_columns
//   CHECK-NOT:   alloca
//       CHECK:   tinytc.gemm t n
tinytc.func @few_columns(%a: !tinytc.memref<8x20xf32>, %b: !tinytc.memref<8x3xf32>,
                         %c: !tinytc.memref<20x3xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<8x20xf32>, !tinytc.memref<8x3xf32>, f32, !tinytc.memref<20x3xf32>
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
