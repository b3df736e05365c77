// RUN: tinytc-opt %s --split-input-file --tinytc-insert-barriers | FileCheck %s

// SPMD regions count as one instruction, whatever they contain.

!matrix = !tinytc.memref<16x16xf32>
!local = !tinytc.memref<16x16xf32, local>

// CHECK-LABEL: @region_after_region
//       CHECK:   tinytc.foreach
//       CHECK:   }
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.parallel {
//       CHECK:   }
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.parallel {
//   CHECK-NOT:   tinytc.barrier
tinytc.func @region_after_region(%alpha: f32, %a: !matrix) {
  %from = tinytc.constant 0 : index
  %to = tinytc.constant 16 : index
  %tmp = tinytc.alloca : !local
  tinytc.foreach (%i, %j) = (%from, %from), (%to, %to) {
    tinytc.store %alpha, %tmp[%i, %j] : f32, !local
  }
  tinytc.parallel {
    %x = tinytc.load %tmp[%from, %from] : !local
    tinytc.store %x, %a[%from, %from] : f32, !matrix
  }
  tinytc.parallel {
    %x = tinytc.load %a[%from, %from] : !matrix
    %lane = tinytc.builtin.subgroup_local_id : i32
    %i = tinytc.cast %lane : i32 -> index
    tinytc.store atomic_add %x, %a[%i, %from] : f32, !matrix
  }
}

// -----

!matrix = !tinytc.memref<16x16xf32>
!local = !tinytc.memref<16x16xf32, local>
!coop = !tinytc.coopmatrix<16x16xf32, matrix_acc>

// CHECK-LABEL: @coopmatrix_accesses
//       CHECK:   tinytc.parallel {
//       CHECK:     tinytc.cooperative_matrix_store
//       CHECK:   }
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.parallel {
//       CHECK:     tinytc.cooperative_matrix_load
//       CHECK:   }
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @coopmatrix_accesses(%alpha: f32, %a: !matrix) {
  %first = tinytc.constant 0 : index
  %tmp = tinytc.alloca : !local
  tinytc.parallel {
    %x = tinytc.cooperative_matrix_load n %a[%first, %first] : !matrix -> !coop
    tinytc.cooperative_matrix_store %x, %tmp[%first, %first] : !coop, !local
  }
  tinytc.parallel {
    %x = tinytc.cooperative_matrix_load n %tmp[%first, %first] : !local -> !coop
  }
  tinytc.axpby n %alpha, %a, %alpha, %tmp : f32, !matrix, f32, !local
}

// -----

!matrix = !tinytc.memref<16x16xf32>

// An access deep inside the region counts.
// CHECK-LABEL: @access_in_a_branch_of_a_region
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global{{$}}
//  CHECK-NEXT:   tinytc.parallel {
tinytc.func @access_in_a_branch_of_a_region(%alpha: f32, %a: !matrix, %condition: i1) {
  %first = tinytc.constant 0 : index
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !matrix, f32, !matrix
  tinytc.parallel {
    tinytc.if %condition {
      %row = tinytc.subview %a[0, 0:16] : !matrix -> !tinytc.memref<16xf32, strided<16>>
      tinytc.store %alpha, %row[%first] : f32, !tinytc.memref<16xf32, strided<16>>
    }
  }
}

// -----

!matrix = !tinytc.memref<16x16xf32>

// Inside a region the work-items are on their own.
// CHECK-LABEL: @negative_inside_of_a_region
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_inside_of_a_region(%alpha: f32, %a: !matrix) {
  %first = tinytc.constant 0 : index
  tinytc.parallel {
    tinytc.store %alpha, %a[%first, %first] : f32, !matrix
    %x = tinytc.load %a[%first, %first] : !matrix
    tinytc.store %x, %a[%first, %first] : f32, !matrix
  }
}

// -----

// Tiles of one loop are independent; what the next loop reads waits for them.
// CHECK-LABEL: @tiles
//   CHECK-NOT:   tinytc.barrier
//       CHECK:   tinytc.foreach_tile
//       CHECK:   }
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.foreach_tile
//   CHECK-NOT:   tinytc.barrier
tinytc.func @tiles(%x: f32, %a: !tinytc.memref<64xf32>) {
  %from = tinytc.constant 0 : index
  %to = tinytc.constant 64 : index
  %tmp = tinytc.alloca : !tinytc.memref<64xf32, local>
  tinytc.foreach_tile (%i) = (%from), (%to) as (%m) <= (16) {
    tinytc.store %x, %tmp[%i] : f32, !tinytc.memref<64xf32, local>
  }
  tinytc.foreach_tile (%i) = (%from), (%to) as (%m) <= (16) {
    %y = tinytc.load %tmp[%m] : !tinytc.memref<64xf32, local>
    tinytc.store %y, %a[%i] : f32, !tinytc.memref<64xf32>
  }
}
