// RUN: tinytc-opt %s --tinytc-expand-bf16 | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sum
  //       CHECK:   arith.addf {{.*}} : f32
  //   CHECK-NOT:   arith.truncf
  //       CHECK:   arith.bitcast {{.*}} : i16 to bf16
  gpu.func @sum(%a: memref<1xbf16>, %x: bf16, %y: bf16) kernel {
    %zero = arith.constant 0 : index
    %sum = arith.addf %x, %y : bf16
    memref.store %sum, %a[%zero] : memref<1xbf16>
    gpu.return
  }
}
