// RUN: tinytc-opt %s --split-input-file --tinytc-insert-barriers | FileCheck %s

// Where no barrier may appear.

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @negative_two_reads
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_two_reads(%alpha: f32, %a: !global) {
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.axpby n %alpha, %a, %alpha, %c : f32, !global, f32, !local
}

// -----

!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @negative_different_allocas
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_different_allocas(%alpha: f32) {
  %a = tinytc.alloca : !local
  %b = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !local, f32, !local
  tinytc.axpby n %alpha, %b, %alpha, %b : f32, !local, f32, !local
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @negative_different_address_spaces
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_different_address_spaces(%alpha: f32, %a: !global) {
  %b = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.axpby n %alpha, %b, %alpha, %b : f32, !local, f32, !local
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @negative_single_work_item
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_single_work_item(%alpha: f32, %a: !global)
    attributes {work_group_size = array<i32: 1, 1>} {
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @two_work_items_along_the_second_mode
//       CHECK:   tinytc.barrier global{{$}}
tinytc.func @two_work_items_along_the_second_mode(%alpha: f32, %a: !global)
    attributes {work_group_size = array<i32: 1, 2>} {
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @negative_after_an_explicit_barrier
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global local{{$}}
//  CHECK-NEXT:   tinytc.axpby
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_after_an_explicit_barrier(%alpha: f32, %a: !global) {
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.barrier global
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.barrier global local
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>

// A barrier that fences the other memory, or none, does not help: it gets the fence.
// CHECK-LABEL: @after_a_barrier_with_another_fence
//       CHECK:   tinytc.barrier global local{{$}}
//  CHECK-NEXT:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @after_a_barrier_with_another_fence(%alpha: f32, %a: !global) {
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.barrier local
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.barrier
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>
!group = !tinytc.group<!global x ?>

// Nothing writes the pointers of a group.
// CHECK-LABEL: @negative_load_from_a_group
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.load
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_load_from_a_group(%alpha: f32, %A: !group, %b: !global) {
  %g = tinytc.builtin.group_id : index
  tinytc.axpby n %alpha, %b, %alpha, %b : f32, !global, f32, !global
  %a = tinytc.load %A[%g] : !group
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @negative_views_and_sizes
//       CHECK:   tinytc.axpby
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_views_and_sizes(%alpha: f32, %a: !tinytc.memref<?xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %a
    : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
  %size = tinytc.size %a[0] : !tinytc.memref<?xf32>
  %view = tinytc.subview %a[0:4] : !tinytc.memref<?xf32> -> !tinytc.memref<4xf32>
}

// -----

!local = !tinytc.memref<16xf32, local>

// The pass adds nothing to its own output.
// CHECK-LABEL: @negative_barrier_in_a_loop
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:   }
tinytc.func @negative_barrier_in_a_loop(%alpha: f32, %to: index) {
  %from = tinytc.constant 0 : index
  %a = tinytc.alloca : !local
  tinytc.for %i = %from, %to {
    tinytc.barrier local
    tinytc.axpby n %alpha, %a, %alpha, %a : f32, !local, f32, !local
  }
}
