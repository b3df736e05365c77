// RUN: tinytc-opt %s --tinytc-attach-target=target=x86-64-v4-amx --tinytc-skip-zeros | FileCheck %s
// RUN: tinytc-opt %s --tinytc-attach-target=target=intel-gpu:pvc --tinytc-skip-zeros | FileCheck %s
// RUN: tinytc-opt %s --tinytc-attach-target=target=cuda:sm_90 --tinytc-skip-zeros | FileCheck %s

// A unit for matrices leaves out whole operations.
// CHECK-LABEL: @steps
// CHECK: tinytc.subview %{{.*}}[0:64, 32:32] : !tinytc.memref<64x128xbf16>
// CHECK: tinytc.gemm
// CHECK-NOT: tinytc.gemm
tinytc.func @steps(%A: !tinytc.memref<64x128xbf16>
                       {tinytc.nonzero = [array<i64: 0, 64, 40, 60>]},
                   %B: !tinytc.memref<128x64xbf16>, %C: !tinytc.memref<64x64xf32>) {
  %one = tinytc.constant 1.0 : f32
  %factor = tinytc.constant 1.0 : bf16
  tinytc.gemm n n %factor, %A, %B, %one, %C
    : bf16, !tinytc.memref<64x128xbf16>, !tinytc.memref<128x64xbf16>, f32,
      !tinytc.memref<64x64xf32>
}

// What is left of one is computed as a whole.
// CHECK-LABEL: @negative_part
// CHECK-NOT: tinytc.subview
tinytc.func @negative_part(%A: !tinytc.memref<64x32xbf16>
                               {tinytc.nonzero = [array<i64: 0, 64, 0, 20>]},
                           %B: !tinytc.memref<32x64xbf16>,
                           %C: !tinytc.memref<64x64xf32>) {
  %one = tinytc.constant 1.0 : f32
  %factor = tinytc.constant 1.0 : bf16
  tinytc.gemm n n %factor, %A, %B, %one, %C
    : bf16, !tinytc.memref<64x32xbf16>, !tinytc.memref<32x64xbf16>, f32,
      !tinytc.memref<64x64xf32>
}
