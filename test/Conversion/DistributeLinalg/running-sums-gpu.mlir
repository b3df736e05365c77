// RUN: tinytc-opt %s --lower-to-gpu=target=intel-gpu:pvc | FileCheck %s

// On GPUs of Intel, too, a work-item walks through its lines in a loop.
// CHECK-LABEL: gpu.func @columns
//       CHECK:   scf.for %{{.*}} = %c0 to %c32 step %c1 iter_args
//       CHECK:     memref.load
//       CHECK:     memref.store
//       CHECK:   } {tinytc.unroll = false}
tinytc.func @columns(%a: !tinytc.memref<64x32xf32>, %b: !tinytc.memref<64x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.cumsum %one, %a, 1, %zero, %b
    : f32, !tinytc.memref<64x32xf32>, f32, !tinytc.memref<64x32xf32>
}
