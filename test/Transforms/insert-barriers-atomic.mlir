// RUN: tinytc-opt %s --split-input-file --tinytc-insert-barriers | FileCheck %s

// Updates of one kind may be made in any order. Anything else may not: plain accesses,
// stores, updates of another kind, and updates that only a subgroup sees as one step.

!vector = !tinytc.memref<16xi32>

// CHECK-LABEL: @same_kind
//   CHECK-NOT:   tinytc.barrier
tinytc.func @same_kind(%x: i32, %i: index, %a: !vector) {
  tinytc.parallel {
    %0 = tinytc.atomic_add %x, %a[%i] : i32, !vector
  }
  tinytc.parallel {
    %0 = tinytc.atomic_add %x, %a[%i] : i32, !vector
  }
  %1 = tinytc.atomic_add %x, %a[%i] : i32, !vector
}

// -----

!vector = !tinytc.memref<16xi32>

// CHECK-LABEL: @loads
//       CHECK:   tinytc.atomic_load
//  CHECK-NEXT:   tinytc.load
//  CHECK-NEXT:   tinytc.atomic_load
tinytc.func @loads(%i: index, %a: !vector) {
  %0 = tinytc.atomic_load %a[%i] : !vector
  %1 = tinytc.load %a[%i] : !vector
  %2 = tinytc.atomic_load %a[%i] : !vector
}

// -----

!vector = !tinytc.memref<16xi32>

// CHECK-LABEL: @other_kinds
//       CHECK:   tinytc.atomic_add
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.atomic_max
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.atomic_load
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.atomic_store
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.load
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.atomic_min
tinytc.func @other_kinds(%x: i32, %i: index, %a: !vector) {
  %0 = tinytc.atomic_add %x, %a[%i] : i32, !vector
  %1 = tinytc.atomic_max %x, %a[%i] : i32, !vector
  %2 = tinytc.atomic_load %a[%i] : !vector
  tinytc.atomic_store %x, %a[%i] : i32, !vector
  %3 = tinytc.load %a[%i] : !vector
  %4 = tinytc.atomic_min %x, %a[%i] : i32, !vector
}

// -----

!vector = !tinytc.memref<16xi32, local>

// CHECK-LABEL: @subgroup
//       CHECK:   tinytc.atomic_add subgroup
//  CHECK-NEXT:   tinytc.barrier local
//  CHECK-NEXT:   tinytc.atomic_add subgroup
tinytc.func @subgroup(%x: i32, %i: index) {
  %a = tinytc.alloca : !vector
  %0 = tinytc.atomic_add subgroup %x, %a[%i] : i32, !vector
  %1 = tinytc.atomic_add subgroup %x, %a[%i] : i32, !vector
}

// -----

!matrix = !tinytc.memref<16x16xf32>
!coop = !tinytc.coopmatrix<16x16xf32, matrix_acc>

// CHECK-LABEL: @matrices
//       CHECK:   tinytc.cooperative_matrix_atomic_add
//   CHECK-NOT:   tinytc.barrier
//       CHECK:   tinytc.cooperative_matrix_atomic_add
//  CHECK-NEXT:   }
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.load
tinytc.func @matrices(%i: index, %a: !matrix) {
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !coop
    %0 = tinytc.cooperative_matrix_atomic_add n %m, %a[%i, %i] : !coop, !matrix
  }
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !coop
    %0 = tinytc.cooperative_matrix_atomic_add n %m, %a[%i, %i] : !coop, !matrix
  }
  %1 = tinytc.load %a[%i, %i] : !matrix
}
