// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @functions
tinytc.func @functions(%h: f16, %b: bf16, %x: f32, %y: f64) {
  // CHECK: tinytc.sqrt %{{.*}} : f16
  %0 = tinytc.sqrt %h : f16
  // CHECK: tinytc.rsqrt %{{.*}} : bf16
  %1 = tinytc.rsqrt %b : bf16
  // CHECK: tinytc.tanh %{{.*}} : f32
  %2 = tinytc.tanh %x : f32
  // CHECK: tinytc.expm1 %{{.*}} : f64
  %3 = tinytc.expm1 %y : f64
  // CHECK: tinytc.log1p %{{.*}} : f32
  %4 = tinytc.log1p %x : f32
  // CHECK: tinytc.floor %{{.*}} : f32
  %5 = tinytc.floor %x : f32
  // CHECK: tinytc.ceil %{{.*}} : f64
  %6 = tinytc.ceil %y : f64
  // CHECK: tinytc.pow %{{.*}}, %{{.*}} : f32
  %7 = tinytc.pow %x, %x : f32
  // CHECK: tinytc.hypot %{{.*}}, %{{.*}} : f64
  %8 = tinytc.hypot %y, %y : f64
  // CHECK: tinytc.fma %{{.*}}, %{{.*}}, %{{.*}} : f16
  %9 = tinytc.fma %h, %h, %h : f16
  // CHECK: tinytc.minimum %{{.*}}, %{{.*}} : bf16
  %10 = tinytc.minimum %b, %b : bf16
  %i = tinytc.constant 1 : i8
  // CHECK: tinytc.maximum %{{.*}}, %{{.*}} : i8
  %11 = tinytc.maximum %i, %i : i8
}

// CHECK-LABEL: @select
tinytc.func @select(%c: i1, %z: complex<f32>) {
  // CHECK: tinytc.select %{{.*}}, %{{.*}}, %{{.*}} : i1
  %0 = tinytc.select %c, %c, %c : i1
  // CHECK: tinytc.select %{{.*}}, %{{.*}}, %{{.*}} : complex<f32>
  %1 = tinytc.select %c, %z, %z : complex<f32>
}

// FOLD-LABEL: @fold_select
//  FOLD-SAME:   (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[C:.*]]: i1,
//  FOLD-NEXT:   tinytc.store %[[X]]
//  FOLD-NEXT:   tinytc.store %[[Y]]
//  FOLD-NEXT:   tinytc.store %[[X]]
tinytc.func @fold_select(%x: f32, %y: f32, %c: i1, %a: !tinytc.memref<f32>) {
  %true = tinytc.constant true
  %false = tinytc.constant false
  %0 = tinytc.select %true, %x, %y : f32
  tinytc.store %0, %a[] : f32, !tinytc.memref<f32>
  %1 = tinytc.select %false, %x, %y : f32
  tinytc.store %1, %a[] : f32, !tinytc.memref<f32>
  %2 = tinytc.select %c, %x, %x : f32
  tinytc.store %2, %a[] : f32, !tinytc.memref<f32>
}

// FOLD-LABEL: @negative_fold_select
//       FOLD:   tinytc.select
tinytc.func @negative_fold_select(%x: f32, %y: f32, %c: i1, %a: !tinytc.memref<f32>) {
  %0 = tinytc.select %c, %x, %y : f32
  tinytc.store %0, %a[] : f32, !tinytc.memref<f32>
}
