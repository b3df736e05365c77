// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target{target=x86-64-v4},tinytc-choose-work-group-size,tinytc-choose-strategies,tinytc.func(tinytc-pack-operands))' | FileCheck %s
// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target{target=cpu},tinytc-choose-work-group-size,tinytc-choose-strategies,tinytc.func(tinytc-pack-operands))' | FileCheck %s --check-prefix=DRIVER

// Native code would convert each element of B by itself, for each tile of rows.
// CHECK-LABEL: @half
//  CHECK-SAME:   (%{{.*}}, %[[B:[^:]*]]: !tinytc.memref<8x16xf16>
//       CHECK:   %[[WIDE:.*]] = tinytc.alloca : !tinytc.memref<8x16xf32, local>
//       CHECK:   %[[ONE:.*]] = tinytc.constant 1.000000e+00 : f16
//       CHECK:   %[[ZERO:.*]] = tinytc.constant 0.000000e+00 : f32
//       CHECK:   tinytc.axpby n %[[ONE]], %[[B]], %[[ZERO]], %[[WIDE]]
//       CHECK:   tinytc.gemm n n %{{.*}}, %{{.*}}, %[[WIDE]],
//       CHECK:   tinytc.lifetime_stop %[[WIDE]]
// DRIVER-LABEL: @half
//  DRIVER-SAME:   (%{{.*}}, %[[B:[^:]*]]: !tinytc.memref<8x16xf16>
//       DRIVER:   tinytc.gemm n n %{{.*}}, %{{.*}}, %[[B]],
tinytc.func @half(%a: !tinytc.memref<20x8xf16>, %b: !tinytc.memref<8x16xf16>,
                  %c: !tinytc.memref<20x16xf32>) {
  %one = tinytc.constant 1.0 : f16
  %beta = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %a, %b, %beta, %c
    : f16, !tinytc.memref<20x8xf16>, !tinytc.memref<8x16xf16>, f32,
      !tinytc.memref<20x16xf32>
}

// A is transposed as it is: its rows are converted a register at a time.
// CHECK-LABEL: @both
//       CHECK:   tinytc.alloca : !tinytc.memref<20x8xbf16, local>
//       CHECK:   tinytc.axpby t
//       CHECK:   %[[WIDE:.*]] = tinytc.alloca : !tinytc.memref<16x8xf32, local>
//       CHECK:   tinytc.axpby n %{{.*}}, %{{.*}}, %{{.*}}, %[[WIDE]]
//       CHECK:   tinytc.gemm n t %{{.*}}, %{{.*}}, %[[WIDE]],
tinytc.func @both(%a: !tinytc.memref<8x20xbf16>, %b: !tinytc.memref<16x8xbf16>,
                  %c: !tinytc.memref<20x16xf32>) {
  %one = tinytc.constant 1.0 : bf16
  %beta = tinytc.constant 1.0 : f32
  tinytc.gemm t t %one, %a, %b, %beta, %c
    : bf16, !tinytc.memref<8x20xbf16>, !tinytc.memref<16x8xbf16>, f32,
      !tinytc.memref<20x16xf32>
}

// Sums of f16 take factors of f16, and f32 needs no conversion.
// CHECK-LABEL: @narrow
//   CHECK-NOT:   tinytc.alloca
tinytc.func @narrow(%a: !tinytc.memref<20x8xf16>, %b: !tinytc.memref<8x16xf16>,
                    %c: !tinytc.memref<20x16xf16>, %wide: !tinytc.memref<8x16xf32>,
                    %d: !tinytc.memref<20x16xf32>) {
  %one = tinytc.constant 1.0 : f16
  %beta = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %a, %b, %one, %c
    : f16, !tinytc.memref<20x8xf16>, !tinytc.memref<8x16xf16>, f16,
      !tinytc.memref<20x16xf16>
  tinytc.gemm n n %one, %a, %wide, %beta, %d
    : f16, !tinytc.memref<20x8xf16>, !tinytc.memref<8x16xf32>, f32,
      !tinytc.memref<20x16xf32>
}
