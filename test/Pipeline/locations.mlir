// RUN: tinytc-opt %s --lower-to-linalg --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=LINALG
// RUN: tinytc-opt %s --lower-to-gpu --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=GPU
// RUN: tinytc-opt %s --lower-to-spirv --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=SPIRV

// What an instruction becomes keeps the instruction's location in the source text.

// LINALG-LABEL: @kernel
//       LINALG:   linalg.generic
//       LINALG:   loc("kernel.ir":5:3)
//       LINALG:   memref.store {{.*}} loc("kernel.ir":6:3)

//    GPU-LABEL: @kernel
//          GPU:   memref.store {{.*}} loc("kernel.ir":5:3)
//          GPU:   memref.store {{.*}} loc("kernel.ir":6:3)

//  SPIRV-LABEL: spirv.func @kernel
//        SPIRV:   spirv.Store {{.*}} loc("kernel.ir":5:3)
//        SPIRV:   spirv.Store {{.*}} loc("kernel.ir":6:3)
tinytc.func @kernel(%x: f32, %a: !tinytc.memref<16xf32>, %i: index) {
  tinytc.axpby n %x, %a, %x, %a
    : f32, !tinytc.memref<16xf32>, f32, !tinytc.memref<16xf32> loc("kernel.ir":5:3)
  tinytc.store %x, %a[%i] : f32, !tinytc.memref<16xf32> loc("kernel.ir":6:3)
  tinytc.yield
} loc("kernel.ir":1:1)
