// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=cuda:sm_90 \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// CHECK-LABEL: @static
//       CHECK:   tinytc.gemm {{.*}} {tinytc.strategy = #tinytc.strategy<kind = tensor_cores,
//  CHECK-SAME:     rows = 32, columns = 32, unroll = 2>}
tinytc.func @static(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x?xf16>
!n = !tinytc.memref<?x64xf16>
!c = !tinytc.memref<64x64xf32>

// CHECK-LABEL: @dynamic
//       CHECK:   <kind = tensor_cores, rows = 32, columns = 32, unroll = 1>
tinytc.func @dynamic(%alpha: f16, %a: !m, %b: !n, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !m, !n, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// CHECK-LABEL: @scheduled
//       CHECK:   <kind = tensor_cores, rows = 8, columns = 16, unroll = 2>
tinytc.func @scheduled(%alpha: f16, %a: !m, %beta: f32, %c: !c)
    attributes {schedule = #tinytc.schedule<rows = 1, columns = 8>} {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<3x3xf16>
!c = !tinytc.memref<3x3xf32>

// Most of an operation would be beyond the end.
// CHECK-LABEL: @negative_small
//   CHECK-NOT:   tinytc.strategy
tinytc.func @negative_small(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}
