// RUN: tinytc-opt %s --split-input-file --tinytc-insert-barriers | FileCheck %s

// Two instructions in a row: which pairs of accesses need a barrier, and which
// memory it has to fence.

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @read_after_write
//       CHECK:   tinytc.axpby n %{{.*}}, %[[A:.*]], %{{.*}}, %[[B:.*]] :
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.axpby n %{{.*}}, %[[B]], %{{.*}}, %[[C:.*]] :
//   CHECK-NOT:   tinytc.barrier
tinytc.func @read_after_write(%alpha: f32, %a: !global, %b: !global, %c: !global) {
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !global
  tinytc.axpby n %alpha, %b, %alpha, %c : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @write_after_read
//       CHECK:   %[[TMP:.*]] = tinytc.alloca
//       CHECK:   tinytc.axpby {{.*}}, %[[TMP]], {{.*}}, %[[B:.*]] :
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.foreach
tinytc.func @write_after_read(%alpha: f32, %b: !global) {
  %from = tinytc.constant 0 : index
  %to = tinytc.constant 16 : index
  %tmp = tinytc.alloca : !local
  tinytc.axpby n %alpha, %tmp, %alpha, %b : f32, !local, f32, !global
  tinytc.foreach (%i) = (%from), (%to) {
    tinytc.store %alpha, %tmp[%i] : f32, !local
  }
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @write_after_write
//       CHECK:   tinytc.foreach
//       CHECK:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.foreach
//   CHECK-NOT:   tinytc.barrier
tinytc.func @write_after_write(%alpha: f32) {
  %from = tinytc.constant 0 : index
  %to = tinytc.constant 16 : index
  %tmp = tinytc.alloca : !local
  tinytc.foreach (%i) = (%from), (%to) {
    tinytc.store %alpha, %tmp[%i] : f32, !local
  }
  tinytc.foreach (%i) = (%from), (%to) {
    tinytc.store %alpha, %tmp[%i] : f32, !local
  }
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @fences_both_spaces
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global local{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @fences_both_spaces(%alpha: f32, %a: !global) {
  %tmp = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %tmp : f32, !global, f32, !local
  tinytc.axpby n %alpha, %tmp, %alpha, %a : f32, !local, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// A barrier that fences local memory does not make writes to global memory visible.
// CHECK-LABEL: @keeps_what_is_not_fenced
//       CHECK:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global local{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @keeps_what_is_not_fenced(%alpha: f32, %a: !global) {
  %tmp0 = tinytc.alloca : !local
  %tmp1 = tinytc.alloca : !local
  tinytc.axpby n %alpha, %tmp1, %alpha, %a : f32, !local, f32, !global
  tinytc.axpby n %alpha, %tmp1, %alpha, %tmp0 : f32, !local, f32, !local
  tinytc.axpby n %alpha, %tmp0, %alpha, %tmp1 : f32, !local, f32, !local
  tinytc.axpby n %alpha, %a, %alpha, %tmp1 : f32, !global, f32, !local
}

// -----

!global = !tinytc.memref<16xf32>
!view = !tinytc.memref<8xf32>

// CHECK-LABEL: @views_of_one_memref
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @views_of_one_memref(%alpha: f32, %a: !global) {
  %low = tinytc.subview %a[0:8] : !global -> !view
  %high = tinytc.subview %a[8:8] : !global -> !view
  %matrix = tinytc.expand %a[0 -> 4 by 4] : !global -> !tinytc.memref<4x4xf32>
  %fused = tinytc.fuse %matrix[0, 1] : !tinytc.memref<4x4xf32> -> !global
  tinytc.axpby n %alpha, %low, %alpha, %high : f32, !view, f32, !view
  tinytc.axpby n %alpha, %fused, %alpha, %a : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @parameters_may_alias
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @parameters_may_alias(%alpha: f32, %a: !global, %b: !global, %c: !global,
                                  %d: !global) {
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !global
  tinytc.axpby n %alpha, %c, %alpha, %d : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>
!group = !tinytc.group<!global x ?>

// CHECK-LABEL: @loads_from_one_group_may_alias
//       CHECK:   %[[X:.*]] = tinytc.load
//       CHECK:   %[[Y:.*]] = tinytc.load
//       CHECK:   tinytc.axpby {{.*}}, %[[X]],
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.axpby {{.*}}, %[[Y]],
tinytc.func @loads_from_one_group_may_alias(%alpha: f32, %A: !group, %i: index,
                                            %j: index, %b: !global) {
  %x = tinytc.load %A[%i] : !group
  %y = tinytc.load %A[%j] : !group
  tinytc.axpby n %alpha, %x, %alpha, %b : f32, !global, f32, !global
  tinytc.axpby n %alpha, %y, %alpha, %b : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>
!group = !tinytc.group<!global x ?>

// CHECK-LABEL: @loads_from_two_groups_may_alias
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @loads_from_two_groups_may_alias(%alpha: f32, %A: !group, %B: !group) {
  %g = tinytc.builtin.group_id : index
  %a = tinytc.load %A[%g] : !group
  %b = tinytc.load %B[%g] : !group
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !global, f32, !global
  tinytc.axpby n %alpha, %b, %alpha, %b : f32, !global, f32, !global
}

// -----

!global = !tinytc.memref<16xf32>

// Loads and stores outside an SPMD region are accesses by every work-item.
// CHECK-LABEL: @load_after_sum
//       CHECK:   tinytc.sum
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   %[[SUM:.*]] = tinytc.load
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.store %[[SUM]]
tinytc.func @load_after_sum(%alpha: f32, %a: !global) {
  %first = tinytc.constant 0 : index
  %tmp = tinytc.alloca : !tinytc.memref<f32, local>
  tinytc.sum n %alpha, %a, %alpha, %tmp : f32, !global, f32, !tinytc.memref<f32, local>
  %sum = tinytc.load %tmp[] : !tinytc.memref<f32, local>
  tinytc.store %sum, %a[%first] : f32, !global
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @every_instruction
//       CHECK:   tinytc.gemm
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.ger
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.gemv
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.cumsum
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.hadamard_product
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.sum
tinytc.func @every_instruction(%alpha: f32, %a: !tinytc.memref<16x16xf32>, %b: !global,
                               %c: !tinytc.memref<f32>, %d: !tinytc.memref<16x16xf32>,
                               %e: !global) {
  tinytc.gemm n t %alpha, %d, %d, %alpha, %a : f32, !tinytc.memref<16x16xf32>,
    !tinytc.memref<16x16xf32>, f32, !tinytc.memref<16x16xf32>
  tinytc.ger %alpha, %b, %b, %alpha, %a
    : f32, !global, !global, f32, !tinytc.memref<16x16xf32>
  tinytc.gemv t %alpha, %a, %e, %alpha, %b
    : f32, !tinytc.memref<16x16xf32>, !global, f32, !global
  tinytc.cumsum %alpha, %b, 0, %alpha, %e : f32, !global, f32, !global
  tinytc.hadamard_product %alpha, %e, %e, %alpha, %b
    : f32, !global, !global, f32, !global
  tinytc.sum n %alpha, %b, %alpha, %c : f32, !global, f32, !tinytc.memref<f32>
}
