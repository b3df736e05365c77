// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

// CHECK-LABEL: @builtin
tinytc.func @builtin() {
  tinytc.parallel {
    // CHECK: tinytc.builtin.subgroup_id : i32
    %0 = tinytc.builtin.subgroup_id : i32
    // CHECK: tinytc.builtin.subgroup_id x : i32
    %x = tinytc.builtin.subgroup_id x : i32
    // CHECK: tinytc.builtin.subgroup_id y : i32
    %y = tinytc.builtin.subgroup_id y : i32
    // CHECK: tinytc.builtin.subgroup_id z : i32
    %z = tinytc.builtin.subgroup_id z : i32
    // CHECK: tinytc.builtin.subgroup_local_id : i32
    %1 = tinytc.builtin.subgroup_local_id : i32
  }
}

// CHECK-LABEL: @cooperative_matrix
tinytc.func @cooperative_matrix(%x: f16, %i: index, %A: !tinytc.memref<64x64xf16>,
                                %C: !tinytc.memref<64x64xf32>) {
  tinytc.parallel {
    // CHECK: tinytc.cooperative_matrix_load n %{{.*}}[%{{.*}}, %{{.*}}] : !tinytc.memref<64x64xf16> -> !tinytc.coopmatrix<8x16xf16, matrix_a>
    %a = tinytc.cooperative_matrix_load n %A[%i, %i]
      : !tinytc.memref<64x64xf16> -> !tinytc.coopmatrix<8x16xf16, matrix_a>
    // CHECK: tinytc.cooperative_matrix_load t both_checked %
    %b = tinytc.cooperative_matrix_load t both_checked %A[%i, %i]
      : !tinytc.memref<64x64xf16> -> !tinytc.coopmatrix<16x8xf16, matrix_b>
    // CHECK: tinytc.cooperative_matrix_load n cols_checked %
    %c = tinytc.cooperative_matrix_load n cols_checked %C[%i, %i]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
    // CHECK: tinytc.cooperative_matrix_scale %{{.*}}, %{{.*}} : f16, !tinytc.coopmatrix<8x16xf16, matrix_a>
    %d = tinytc.cooperative_matrix_scale %x, %a
      : f16, !tinytc.coopmatrix<8x16xf16, matrix_a>
    // CHECK: tinytc.cooperative_matrix_mul_add %{{.*}}, %{{.*}}, %{{.*}} : !tinytc.coopmatrix<8x16xf16, matrix_a>, !tinytc.coopmatrix<16x8xf16, matrix_b>, !tinytc.coopmatrix<8x8xf32, matrix_acc> -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
    %e = tinytc.cooperative_matrix_mul_add %d, %b, %c
      : !tinytc.coopmatrix<8x16xf16, matrix_a>, !tinytc.coopmatrix<16x8xf16, matrix_b>,
        !tinytc.coopmatrix<8x8xf32, matrix_acc>
      -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
    // CHECK: tinytc.cooperative_matrix_store %
    tinytc.cooperative_matrix_store %e, %C[%i, %i]
      : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<64x64xf32>
    // CHECK: tinytc.cooperative_matrix_store rows_checked atomic %
    tinytc.cooperative_matrix_store rows_checked atomic %e, %C[%i, %i]
      : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<64x64xf32>
    // CHECK: tinytc.cooperative_matrix_store atomic_add %
    tinytc.cooperative_matrix_store atomic_add %e, %C[%i, %i]
      : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}

// CHECK-LABEL: @subgroup
tinytc.func @subgroup(%x: f32, %lane: i32) {
  tinytc.parallel {
    // CHECK: tinytc.subgroup_broadcast %{{.*}}, %{{.*}} : f32
    %0 = tinytc.subgroup_broadcast %x, %lane : f32
    // CHECK: tinytc.subgroup_add exclusive_scan %{{.*}} : f32
    %1 = tinytc.subgroup_add exclusive_scan %x : f32
    // CHECK: tinytc.subgroup_max inclusive_scan %{{.*}} : i32
    %2 = tinytc.subgroup_max inclusive_scan %lane : i32
    // CHECK: tinytc.subgroup_min reduce %{{.*}} : f32
    %3 = tinytc.subgroup_min reduce %x : f32
  }
}
