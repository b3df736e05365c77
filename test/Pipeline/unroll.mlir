// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: tinytc-opt %s --lower-to-spirv | FileCheck %s --check-prefix=SPIRV

// The iterations of a loop over i8 are counted.

//     GPU-LABEL: gpu.func @unrolled
//       GPU-NOT:   scf.for
// GPU-COUNT-3:     memref.store
//       GPU-NOT:   memref.store
//     GPU-LABEL: gpu.func @kept
//           GPU:   } {tinytc.unroll = false}

//   SPIRV-LABEL: spirv.func @unrolled
//     SPIRV-NOT:   spirv.mlir.loop
//   SPIRV-LABEL: spirv.func @kept
//         SPIRV:   spirv.mlir.loop control(DontUnroll)
tinytc.func @unrolled(%a: !tinytc.memref<16xi8>) {
  %from = tinytc.constant 100 : i8
  %to = tinytc.constant 127 : i8
  %step = tinytc.constant 10 : i8
  %one = tinytc.constant 1 : index
  tinytc.parallel {
    tinytc.for %i : i8 = %from, %to, %step {
      tinytc.store %i, %a[%one] : i8, !tinytc.memref<16xi8>
    } {unroll = true}
  }
}
tinytc.func @kept(%a: !tinytc.memref<16xi8>) {
  %from = tinytc.constant 0 : index
  %to = tinytc.constant 3 : index
  %x = tinytc.constant 1 : i8
  tinytc.parallel {
    tinytc.for %i = %from, %to {
      tinytc.store %x, %a[%i] : i8, !tinytc.memref<16xi8>
    } {unroll = false}
  }
}
