// RUN: tinytc-opt %s --split-input-file --prepare=target=intel-gpu:dg2 | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --prepare=target=intel-gpu:pvc \
// RUN:   | FileCheck %s --check-prefix=PVC

// PVC-NOT: tinytc.local_offset = {{[1-9]}}

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// After the allocas, also after those that are no longer live.
// CHECK-LABEL: @after_allocas
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//       CHECK:   tinytc.gemm {{.*}} {tinytc.local_offset = 1024 : i64, tinytc.strategy = #tinytc.strategy<kind = packed_factors
tinytc.func @after_allocas(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  %0 = tinytc.alloca : !tinytc.memref<250xf32, local>
  tinytc.lifetime_stop %0 : !tinytc.memref<250xf32, local>
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// CHECK-LABEL: @at_the_same_place
//       CHECK:   tinytc.gemm n n {{.*}} {tinytc.local_offset = 0 : i64, tinytc.strategy = #tinytc.strategy<kind = packed_factors
//       CHECK:   tinytc.gemm t t {{.*}} {tinytc.local_offset = 0 : i64, tinytc.strategy = #tinytc.strategy<kind = packed_factors
tinytc.func @at_the_same_place(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
  tinytc.gemm t t %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// There is room for three of four steps, so two parts of two.
// CHECK-LABEL: @shorter_parts
//       CHECK:   tinytc.gemm {{.*}} {tinytc.local_offset = 16448 : i64,
//  CHECK-SAME:     unroll = 2, {{.*}} local_bytes = 8192>}
tinytc.func @shorter_parts(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  %0 = tinytc.alloca : !tinytc.memref<4100xf32, local>
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// Another work-group of the core would have no local memory.
// CHECK-LABEL: @negative_no_space
//   CHECK-NOT:   tinytc.gemm {{.*}}local_offset
tinytc.func @negative_no_space(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  %0 = tinytc.alloca : !tinytc.memref<7200xf32, local>
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x?xf16>
!n = !tinytc.memref<?x64xf16>
!c = !tinytc.memref<64x64xf32>

// The depth is not known: parts of four steps.
// CHECK-LABEL: @unknown_depth
//       CHECK:   tinytc.local_offset = 0 : i64,
//  CHECK-SAME:     unroll = 4, {{.*}} local_bytes = 12288>}
tinytc.func @unknown_depth(%alpha: f16, %a: !m, %b: !n, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !m, !n, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!n = !tinytc.memref<?x?xf16>
!c = !tinytc.memref<64x64xf32>

// Sizes that only the other operands tell.
// CHECK-LABEL: @unknown_factor
//       CHECK:   tinytc.local_offset = 0 : i64,
tinytc.func @unknown_factor(%alpha: f16, %a: !m, %b: !n, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !m, !n, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf32>

// CHECK-LABEL: @negative_type
//   CHECK-NOT:   local_offset
tinytc.func @negative_type(%alpha: f32, %a: !m, %c: !m) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : f32, !m, !m, f32, !m
}
