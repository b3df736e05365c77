// RUN: tinytc-opt %s --tinytc-allocate-local-memory --tinytc-insert-barriers \
// RUN:   | FileCheck %s

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// Allocas in the same place alias each other.
// CHECK-LABEL: @same_place
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.lifetime_stop
//  CHECK-NEXT:   tinytc.alloca
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @same_place(%alpha: f32, %a: !global) {
  %b = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.lifetime_stop %b : !local
  %c = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %c : f32, !global, f32, !local
}

// CHECK-LABEL: @negative_side_by_side
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_side_by_side(%alpha: f32, %a: !global) {
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.axpby n %alpha, %a, %alpha, %c : f32, !global, f32, !local
}
