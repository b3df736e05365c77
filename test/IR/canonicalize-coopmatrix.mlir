// RUN: tinytc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @construct_of_a_constant
tinytc.func @construct_of_a_constant(%A: !tinytc.memref<8x4xf32>, %i: index) {
  tinytc.parallel {
    %x = tinytc.constant 2.0 : f32
    // CHECK: %[[M:.*]] = tinytc.constant 2.000000e+00 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    %a = tinytc.cooperative_matrix_construct %x
      : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // CHECK: cooperative_matrix_store %[[M]],
    tinytc.cooperative_matrix_store %a, %A[%i, %i]
      : !tinytc.coopmatrix<8x4xf32, matrix_acc>, !tinytc.memref<8x4xf32>
  }
}

// CHECK-LABEL: @second_insert
tinytc.func @second_insert(%A: !tinytc.memref<8x4xf32>, %i: index, %x: f32, %y: f32) {
  tinytc.parallel {
    %m = tinytc.constant 2.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    %a = tinytc.cooperative_matrix_insert %x, %m[0]
      : f32, !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // CHECK: tinytc.cooperative_matrix_insert %{{.*}}, %cst[0]
    // CHECK-NOT: cooperative_matrix_insert
    %b = tinytc.cooperative_matrix_insert %y, %a[0]
      : f32, !tinytc.coopmatrix<8x4xf32, matrix_acc>
    tinytc.cooperative_matrix_store %b, %A[%i, %i]
      : !tinytc.coopmatrix<8x4xf32, matrix_acc>, !tinytc.memref<8x4xf32>
  }
}

// CHECK-LABEL: @negative_insert_elsewhere
tinytc.func @negative_insert_elsewhere(%A: !tinytc.memref<8x4xf32>, %i: index, %x: f32) {
  tinytc.parallel {
    %m = tinytc.constant 2.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    // CHECK-COUNT-2: cooperative_matrix_insert
    %a = tinytc.cooperative_matrix_insert %x, %m[0]
      : f32, !tinytc.coopmatrix<8x4xf32, matrix_acc>
    %b = tinytc.cooperative_matrix_insert %x, %a[1]
      : f32, !tinytc.coopmatrix<8x4xf32, matrix_acc>
    tinytc.cooperative_matrix_store %b, %A[%i, %i]
      : !tinytc.coopmatrix<8x4xf32, matrix_acc>, !tinytc.memref<8x4xf32>
  }
}

// CHECK-LABEL: @reduction_of_one
tinytc.func @reduction_of_one(%A: !tinytc.memref<8x1xf32>, %i: index) {
  tinytc.parallel {
    // CHECK: %[[M:.*]] = tinytc.cooperative_matrix_load
    %m = tinytc.cooperative_matrix_load n %A[%i, %i]
      : !tinytc.memref<8x1xf32> -> !tinytc.coopmatrix<8x1xf32, matrix_acc>
    // CHECK-NOT: reduce
    %a = tinytc.cooperative_matrix_reduce_add row %m
      : !tinytc.coopmatrix<8x1xf32, matrix_acc> -> !tinytc.coopmatrix<8x1xf32, matrix_acc>
    // CHECK: cooperative_matrix_store %[[M]],
    tinytc.cooperative_matrix_store %a, %A[%i, %i]
      : !tinytc.coopmatrix<8x1xf32, matrix_acc>, !tinytc.memref<8x1xf32>
  }
}

// CHECK-LABEL: @bits_of_constants
tinytc.func @bits_of_constants(%A: !tinytc.memref<8x1xi32>, %i: index) {
  tinytc.parallel {
    %m = tinytc.constant 6 : i32 -> !tinytc.coopmatrix<8x1xi32, matrix_acc>
    %n = tinytc.constant 3 : i32 -> !tinytc.coopmatrix<8x1xi32, matrix_acc>
    // CHECK: %[[M:.*]] = tinytc.constant 5 : i32 -> !tinytc.coopmatrix<8x1xi32, matrix_acc>
    %a = tinytc.arith.xor %m, %n : !tinytc.coopmatrix<8x1xi32, matrix_acc>
    // CHECK: cooperative_matrix_store %[[M]],
    tinytc.cooperative_matrix_store %a, %A[%i, %i]
      : !tinytc.coopmatrix<8x1xi32, matrix_acc>, !tinytc.memref<8x1xi32>
  }
}

// CHECK-LABEL: @negative_prefetch
tinytc.func @negative_prefetch(%A: !tinytc.memref<8x1xi32>, %i: index) {
  tinytc.parallel {
    // CHECK: cooperative_matrix_prefetch
    tinytc.cooperative_matrix_prefetch 0, %A[%i, %i], 8, 1 : !tinytc.memref<8x1xi32>
  }
}
