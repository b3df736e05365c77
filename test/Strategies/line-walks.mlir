// RUN: tinytc-opt %s --lower-to-linalg=target=cpu --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --lower-to-linalg=target=cuda:sm_90 --tinytc-choose-strategies \
// RUN:   | FileCheck %s --check-prefix=CUDA

// A work-item walks through several lines. On NVIDIA's GPUs, lanes read longer pieces of
// memory if each has one.
// CHECK-LABEL: @running_sums
//       CHECK:   scf.forall
//       CHECK:   } {mapping = [#tinytc.work_item<0>], tinytc.strategy = #tinytc.strategy<kind = line_walks, rows = 16>}
// CUDA-LABEL:  @running_sums
//       CUDA:   } {mapping = [#tinytc.work_item<0>], tinytc.strategy = #tinytc.strategy<kind = work_items>}
tinytc.func @running_sums(%alpha: f32, %a: !tinytc.memref<64x16xf32>, %b: !tinytc.memref<64x16xf32>) {
  tinytc.cumsum %alpha, %a, 1, %alpha, %b : f32, !tinytc.memref<64x16xf32>, f32, !tinytc.memref<64x16xf32>
}
