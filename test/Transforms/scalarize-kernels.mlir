// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target{target=x86-64-v4},tinytc.func(tinytc-scalarize-kernels))' | FileCheck %s
// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target{target=x86-64-v2},tinytc.func(tinytc-scalarize-kernels))' | FileCheck --check-prefix=SEPARATE %s

// All elements are loaded, then computed, then stored.
// CHECK-LABEL: @factor
// CHECK-DAG: %[[ONE:.*]] = tinytc.constant 1.0{{.*}} : f64
// CHECK-DAG: %[[I:.*]] = tinytc.constant 1 : index
// CHECK: %[[A:.*]] = tinytc.subview
// CHECK: %[[A00:.*]] = tinytc.load %[[A]][%[[ZERO:.*]], %[[ZERO]]]
// CHECK: %[[A10:.*]] = tinytc.load %[[A]][%[[I]], %[[ZERO]]]
// CHECK: %[[A11:.*]] = tinytc.load %[[A]][%[[I]], %[[I]]]
// CHECK-NOT: tinytc.load
// CHECK: %[[IS:.*]] = tinytc.cmp.gt %[[A00]]
// CHECK: %[[PIVOT:.*]] = tinytc.select %[[IS]], %[[A00]]
// CHECK: %[[ROOT:.*]] = tinytc.sqrt %[[PIVOT]]
// CHECK: %[[SCALE:.*]] = tinytc.arith.div %[[ONE]], %[[ROOT]]
// CHECK: %[[L10:.*]] = tinytc.arith.mul %[[A10]], %[[SCALE]]
// CHECK: tinytc.store %[[ROOT]], %[[A]][%[[ZERO]], %[[ZERO]]]
// CHECK: tinytc.store %[[L10]], %[[A]][%[[I]], %[[ZERO]]]
// CHECK: tinytc.store %{{.*}}, %[[A]][%[[I]], %[[I]]]
// CHECK-NOT: tinytc.cholesky
tinytc.func @factor(%A: !tinytc.memref<2x2x?xf64>) {
  %g = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:2, 0:2, %g] : !tinytc.memref<2x2x?xf64> -> !tinytc.memref<2x2xf64>
  tinytc.cholesky l %a : !tinytc.memref<2x2xf64>
}

// Local memory is numbers; loops and conditions of known numbers are written out.
// CHECK-LABEL: @local
// CHECK-NOT: tinytc.alloca
// CHECK-NOT: tinytc.foreach
// CHECK-NOT: tinytc.if
// CHECK: tinytc.sqrt
// CHECK-NOT: tinytc.cholesky
tinytc.func @local(%A: !tinytc.memref<3x3x?xf32>) {
  %g = tinytc.builtin.group_id : index
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  %i0 = tinytc.constant 0 : index
  %i3 = tinytc.constant 3 : index
  %a = tinytc.subview %A[0:3, 0:3, %g] : !tinytc.memref<3x3x?xf32> -> !tinytc.memref<3x3xf32>
  %t = tinytc.alloca : !tinytc.memref<3x3xf32, local>
  tinytc.gemm n t %one, %a, %a, %zero, %t : f32, !tinytc.memref<3x3xf32>,
    !tinytc.memref<3x3xf32>, f32, !tinytc.memref<3x3xf32, local>
  tinytc.foreach (%i, %j) = (%i0, %i0), (%i3, %i3) {
    %is = tinytc.cmp.eq %i, %j : index
    tinytc.if %is {
      %x = tinytc.load %t[%i, %j] : !tinytc.memref<3x3xf32, local>
      %y = tinytc.arith.add %x, %one : f32
      tinytc.store %y, %t[%i, %j] : f32, !tinytc.memref<3x3xf32, local>
    }
  }
  tinytc.cholesky l %t : !tinytc.memref<3x3xf32, local>
  tinytc.axpby n %one, %t, %zero, %a
    : f32, !tinytc.memref<3x3xf32, local>, f32, !tinytc.memref<3x3xf32>
}

// A column is multiplied with the reciprocal of its pivot, which is scaled where it is
// tiny. Without an instruction for fused multiply-adds, LLVM would call a function.
// CHECK-LABEL: @quotients
// CHECK: %[[PIVOT:.*]] = tinytc.load %[[A:.*]][%[[ZERO:.*]], %[[ZERO]]]
// CHECK: %[[A10:.*]] = tinytc.load %[[A]][%[[I:.*]], %[[ZERO]]]
// CHECK: %[[A01:.*]] = tinytc.load %[[A]][%[[ZERO]], %[[I]]]
// CHECK: %[[A11:.*]] = tinytc.load %[[A]][%[[I]], %[[I]]]
// CHECK: %[[SIZE:.*]] = tinytc.arith.abs %[[PIVOT]]
// CHECK: %[[IS:.*]] = tinytc.cmp.gt %{{.*}}, %[[SIZE]]
// CHECK: %[[SCALE:.*]] = tinytc.select %[[IS]]
// CHECK: %[[SCALED:.*]] = tinytc.arith.mul %[[PIVOT]], %[[SCALE]]
// CHECK: %[[RECIPROCAL:.*]] = tinytc.arith.div %{{.*}}, %[[SCALED]]
// CHECK: %[[X:.*]] = tinytc.arith.mul %[[A10]], %[[SCALE]]
// CHECK: %[[L10:.*]] = tinytc.arith.mul %[[X]], %[[RECIPROCAL]]
// CHECK: %[[NEG:.*]] = tinytc.arith.neg %[[L10]]
// CHECK: tinytc.fma %[[A01]], %[[NEG]], %[[A11]]
// SEPARATE-LABEL: @quotients
// SEPARATE-NOT: tinytc.lu
// SEPARATE-NOT: tinytc.fma
// SEPARATE: tinytc.arith.add
// SEPARATE-LABEL: @aliases
tinytc.func @quotients(%A: !tinytc.memref<2x2x?xf32>) {
  %g = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:2, 0:2, %g] : !tinytc.memref<2x2x?xf32> -> !tinytc.memref<2x2xf32>
  tinytc.lu %a : !tinytc.memref<2x2xf32>
}

// Stores come before loads of memory that may be the same.
// CHECK-LABEL: @aliases
// CHECK: %[[A:[0-9]+]] = tinytc.subview %arg0
// CHECK: %[[B:[0-9]+]] = tinytc.subview %arg1
// CHECK: %[[C:[0-9]+]] = tinytc.subview %arg2
// CHECK: tinytc.load %[[A]]
// CHECK: tinytc.store %{{.*}}, %[[B]]
// CHECK: tinytc.load %[[C]]
// CHECK: tinytc.sqrt
// CHECK-NOT: tinytc.cholesky
tinytc.func @aliases(%A: !tinytc.memref<2x2x?xf64>, %B: !tinytc.memref<2x2x?xf64>,
                     %C: !tinytc.memref<2x2x?xf64>) {
  %g = tinytc.builtin.group_id : index
  %zero = tinytc.constant 0.0 : f64
  %one = tinytc.constant 1.0 : f64
  %a = tinytc.subview %A[0:2, 0:2, %g] : !tinytc.memref<2x2x?xf64> -> !tinytc.memref<2x2xf64>
  %b = tinytc.subview %B[0:2, 0:2, %g] : !tinytc.memref<2x2x?xf64> -> !tinytc.memref<2x2xf64>
  %c = tinytc.subview %C[0:2, 0:2, %g] : !tinytc.memref<2x2x?xf64> -> !tinytc.memref<2x2xf64>
  tinytc.axpby n %one, %a, %zero, %b
    : f64, !tinytc.memref<2x2xf64>, f64, !tinytc.memref<2x2xf64>
  tinytc.cholesky l %c : !tinytc.memref<2x2xf64>
}

// CHECK-LABEL: @negative_one_product
// CHECK: tinytc.gemm
tinytc.func @negative_one_product(%A: !tinytc.memref<8x8x?xf64>, %B: !tinytc.memref<8x8x?xf64>,
                                  %C: !tinytc.memref<8x8x?xf64>) {
  %g = tinytc.builtin.group_id : index
  %zero = tinytc.constant 0.0 : f64
  %one = tinytc.constant 1.0 : f64
  %a = tinytc.subview %A[0:8, 0:8, %g] : !tinytc.memref<8x8x?xf64> -> !tinytc.memref<8x8xf64>
  %b = tinytc.subview %B[0:8, 0:8, %g] : !tinytc.memref<8x8x?xf64> -> !tinytc.memref<8x8xf64>
  %c = tinytc.subview %C[0:8, 0:8, %g] : !tinytc.memref<8x8x?xf64> -> !tinytc.memref<8x8xf64>
  tinytc.gemm n n %one, %a, %b, %zero, %c : f64, !tinytc.memref<8x8xf64>,
    !tinytc.memref<8x8xf64>, f64, !tinytc.memref<8x8xf64>
}

// CHECK-LABEL: @negative_subgroup_size
// CHECK: tinytc.cholesky
tinytc.func @negative_subgroup_size(%A: !tinytc.memref<2x2x?xf64>)
    attributes {subgroup_size = 8 : i32} {
  %g = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:2, 0:2, %g] : !tinytc.memref<2x2x?xf64> -> !tinytc.memref<2x2xf64>
  tinytc.cholesky l %a : !tinytc.memref<2x2xf64>
}

// All groups write the same memory.
// CHECK-LABEL: @negative_shared
// CHECK: tinytc.cholesky
// CHECK-NOT: tinytc.sqrt
tinytc.func @negative_shared(%A: !tinytc.memref<2x2xf64>) {
  tinytc.cholesky l %A : !tinytc.memref<2x2xf64>
}

// CHECK-LABEL: @negative_unknown_size
// CHECK: tinytc.cholesky
// CHECK-NOT: tinytc.sqrt
tinytc.func @negative_unknown_size(%A: !tinytc.memref<?x?x?xf64>, %n: index) {
  %g = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:%n, 0:%n, %g]
    : !tinytc.memref<?x?x?xf64> -> !tinytc.memref<?x?xf64, strided<1,?>>
  tinytc.cholesky l %a : !tinytc.memref<?x?xf64, strided<1,?>>
}

// What a launch decides.
// CHECK-LABEL: @negative_condition
// CHECK: tinytc.if
// CHECK: tinytc.cholesky
// CHECK-NOT: tinytc.sqrt
tinytc.func @negative_condition(%A: !tinytc.memref<2x2x?xf64>, %x: f64) {
  %g = tinytc.builtin.group_id : index
  %zero = tinytc.constant 0.0 : f64
  %is = tinytc.cmp.gt %x, %zero : f64
  %a = tinytc.subview %A[0:2, 0:2, %g] : !tinytc.memref<2x2x?xf64> -> !tinytc.memref<2x2xf64>
  tinytc.if %is {
    tinytc.cholesky l %a : !tinytc.memref<2x2xf64>
  }
}

// CHECK-LABEL: @negative_complex
// CHECK: tinytc.cholesky
// CHECK-NOT: tinytc.sqrt
tinytc.func @negative_complex(%A: !tinytc.memref<2x2x?xcomplex<f64>>) {
  %g = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:2, 0:2, %g]
    : !tinytc.memref<2x2x?xcomplex<f64>> -> !tinytc.memref<2x2xcomplex<f64>>
  tinytc.cholesky l %a : !tinytc.memref<2x2xcomplex<f64>>
}
