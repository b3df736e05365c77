// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

// CHECK-LABEL: @apply
tinytc.func @apply(%m: f32) {
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_construct %m
      : f32 -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
    // CHECK: tinytc.cooperative_matrix_apply (%[[I:.*]], %[[J:.*]], %[[X:.*]]) = %{{.*}} : !tinytc.coopmatrix<16x8xf32, matrix_acc> {
    // CHECK-NEXT: tinytc.arith.add %[[X]], %[[X]] : f32
    // CHECK-NEXT: tinytc.yield %{{.*}} : f32
    %b = tinytc.cooperative_matrix_apply (%i, %j, %x) = %a
        : !tinytc.coopmatrix<16x8xf32, matrix_acc> {
      %y = tinytc.arith.add %x, %x : f32
      tinytc.yield %y : f32
    }
  }
}

// CHECK-LABEL: @components
tinytc.func @components(%x: f16) attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    // CHECK: tinytc.cooperative_matrix_construct %{{.*}} : f16 -> !tinytc.coopmatrix<8x16xf16, matrix_a>
    %a = tinytc.cooperative_matrix_construct %x
      : f16 -> !tinytc.coopmatrix<8x16xf16, matrix_a>
    // CHECK: tinytc.cooperative_matrix_extract %{{.*}}[7] : !tinytc.coopmatrix<8x16xf16, matrix_a> -> f16
    %b = tinytc.cooperative_matrix_extract %a[7]
      : !tinytc.coopmatrix<8x16xf16, matrix_a> -> f16
    // CHECK: tinytc.cooperative_matrix_insert %{{.*}}, %{{.*}}[0] : f16, !tinytc.coopmatrix<8x16xf16, matrix_a>
    %c = tinytc.cooperative_matrix_insert %b, %a[0]
      : f16, !tinytc.coopmatrix<8x16xf16, matrix_a>
  }
}

// CHECK-LABEL: @prefetch
tinytc.func @prefetch(%A: !tinytc.memref<64x?xf32>, %i: index) {
  tinytc.parallel {
    // CHECK: tinytc.cooperative_matrix_prefetch 1, %{{.*}}[%{{.*}}, %{{.*}}], 16, 3 : !tinytc.memref<64x?xf32>
    tinytc.cooperative_matrix_prefetch 1, %A[%i, %i], 16, 3 : !tinytc.memref<64x?xf32>
  }
}

// CHECK-LABEL: @reduce
tinytc.func @reduce() {
  tinytc.parallel {
    %a = tinytc.constant 1 : i32 -> !tinytc.coopmatrix<16x8xi32, matrix_b>
    // CHECK: tinytc.cooperative_matrix_reduce_add row %{{.*}} : !tinytc.coopmatrix<16x8xi32, matrix_b> -> !tinytc.coopmatrix<16x1xi32, matrix_b>
    %0 = tinytc.cooperative_matrix_reduce_add row %a
      : !tinytc.coopmatrix<16x8xi32, matrix_b> -> !tinytc.coopmatrix<16x1xi32, matrix_b>
    // CHECK: tinytc.cooperative_matrix_reduce_max column %
    %1 = tinytc.cooperative_matrix_reduce_max column %a
      : !tinytc.coopmatrix<16x8xi32, matrix_b> -> !tinytc.coopmatrix<1x8xi32, matrix_b>
    // CHECK: tinytc.cooperative_matrix_reduce_min row %
    %2 = tinytc.cooperative_matrix_reduce_min row %a
      : !tinytc.coopmatrix<16x8xi32, matrix_b> -> !tinytc.coopmatrix<16x1xi32, matrix_b>
  }
}

// CHECK-LABEL: @transposed_store
tinytc.func @transposed_store(%A: !tinytc.memref<64x64xf32>, %i: index) {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // CHECK: tinytc.cooperative_matrix_store t %
    tinytc.cooperative_matrix_store t %a, %A[%i, %i]
      : !tinytc.coopmatrix<8x4xf32, matrix_acc>, !tinytc.memref<64x64xf32>
    // CHECK: tinytc.cooperative_matrix_store t rows_checked atomic_add %
    tinytc.cooperative_matrix_store t rows_checked atomic_add %a, %A[%i, %i]
      : !tinytc.coopmatrix<8x4xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}

// CHECK-LABEL: @arithmetic
tinytc.func @arithmetic() {
  tinytc.parallel {
    %a = tinytc.constant 5 : i32 -> !tinytc.coopmatrix<8x4xi32, matrix_acc>
    // CHECK: tinytc.arith.shl %{{.*}}, %{{.*}} : !tinytc.coopmatrix<8x4xi32, matrix_acc>
    %0 = tinytc.arith.shl %a, %a : !tinytc.coopmatrix<8x4xi32, matrix_acc>
    // CHECK: tinytc.arith.not %{{.*}} : !tinytc.coopmatrix<8x4xi32, matrix_acc>
    %1 = tinytc.arith.not %0 : !tinytc.coopmatrix<8x4xi32, matrix_acc>
    // CHECK: tinytc.cast %{{.*}} : !tinytc.coopmatrix<8x4xi32, matrix_acc> -> !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_b>
    %2 = tinytc.cast %1 : !tinytc.coopmatrix<8x4xi32, matrix_acc>
      -> !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_b>
    // CHECK: tinytc.arith.im %{{.*}} : !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_b>
    %3 = tinytc.arith.im %2 : !tinytc.coopmatrix<8x4xcomplex<f32>, matrix_b>
    // CHECK: tinytc.arith.max %{{.*}}, %{{.*}} : !tinytc.coopmatrix<8x4xf32, matrix_b>
    %4 = tinytc.arith.max %3, %3 : !tinytc.coopmatrix<8x4xf32, matrix_b>
  }
}

// CHECK-LABEL: @apply_to_several
tinytc.func @apply_to_several() {
  tinytc.parallel {
    %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
    %b = tinytc.constant 2 : i8 -> !tinytc.coopmatrix<16x8xi8, matrix_a>
    // CHECK: tinytc.cooperative_matrix_apply (%{{.*}}, %{{.*}}, %{{.*}}, %[[Y:.*]]) = %{{.*}}, %{{.*}} : !tinytc.coopmatrix<16x8xf32, matrix_acc>, !tinytc.coopmatrix<16x8xi8, matrix_a> -> !tinytc.coopmatrix<16x8xi8, matrix_a> {
    // CHECK-NEXT: tinytc.yield %[[Y]] : i8
    %0 = tinytc.cooperative_matrix_apply (%i, %j, %x, %y) = %a, %b
        : !tinytc.coopmatrix<16x8xf32, matrix_acc>, !tinytc.coopmatrix<16x8xi8, matrix_a>
        -> !tinytc.coopmatrix<16x8xi8, matrix_a> {
      tinytc.yield %y : i8
    }
  }
}
