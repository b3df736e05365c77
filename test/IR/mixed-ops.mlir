// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

// CHECK-LABEL: @expand
tinytc.func @expand(%A: !tinytc.memref<32x16x8xf32>, %B: !tinytc.memref<32x?xf32>,
                    %n: index) {
  // CHECK: tinytc.expand %{{.*}}[1 -> 2 by 8] : !tinytc.memref<32x16x8xf32> -> !tinytc.memref<32x2x8x8xf32>
  %0 = tinytc.expand %A[1 -> 2 by 8]
    : !tinytc.memref<32x16x8xf32> -> !tinytc.memref<32x2x8x8xf32>
  // CHECK: tinytc.expand %{{.*}}[1 -> %[[N:.*]] by 2 by %[[N]]]
  %1 = tinytc.expand %B[1 -> %n by 2 by %n]
    : !tinytc.memref<32x?xf32> -> !tinytc.memref<32x?x2x?xf32>
}

// CHECK-LABEL: @expandc2r
tinytc.func @expandc2r(%A: !tinytc.memref<32x?xcomplex<f64>, strided<1,40>>,
                       %B: !tinytc.memref<complex<f32>>) {
  // CHECK: tinytc.expandc2r %{{.*}} : !tinytc.memref<32x?xcomplex<f64>, strided<1,40>> -> !tinytc.memref<2x32x?xf64, strided<1,2,80>>
  %0 = tinytc.expandc2r %A : !tinytc.memref<32x?xcomplex<f64>, strided<1,40>>
    -> !tinytc.memref<2x32x?xf64, strided<1,2,80>>
  // CHECK: tinytc.expandc2r %{{.*}} : !tinytc.memref<complex<f32>> -> !tinytc.memref<2xf32>
  %1 = tinytc.expandc2r %B : !tinytc.memref<complex<f32>> -> !tinytc.memref<2xf32>
}

// CHECK-LABEL: @fuse
tinytc.func @fuse(%A: !tinytc.memref<32x16x2x2xf32, strided<1,48,768,1536>>) {
  // CHECK: tinytc.fuse %{{.*}}[1, 2] : !tinytc.memref<32x16x2x2xf32, strided<1,48,768,1536>> -> !tinytc.memref<32x32x2xf32, strided<1,48,1536>>
  %0 = tinytc.fuse %A[1, 2] : !tinytc.memref<32x16x2x2xf32, strided<1,48,768,1536>>
    -> !tinytc.memref<32x32x2xf32, strided<1,48,1536>>
}

// CHECK-LABEL: @subview
tinytc.func @subview(%A: !tinytc.memref<16x42x13xf32>, %i: index, %n: index) {
  // CHECK: tinytc.subview %{{.*}}[2:4, %{{.*}}:%{{.*}}, 6:7] : !tinytc.memref<16x42x13xf32> -> !tinytc.memref<4x?x7xf32, strided<1,16,672>>
  %0 = tinytc.subview %A[2:4, %i:%n, 6:7] : !tinytc.memref<16x42x13xf32>
    -> !tinytc.memref<4x?x7xf32, strided<1,16,672>>
  // CHECK: tinytc.subview %{{.*}}[0:16, %{{.*}}, 5] : !tinytc.memref<16x42x13xf32> -> !tinytc.memref<16xf32>
  %1 = tinytc.subview %A[0:16, %i:0, 5]
    : !tinytc.memref<16x42x13xf32> -> !tinytc.memref<16xf32>
}

// CHECK-LABEL: @size
tinytc.func @size(%A: !tinytc.memref<16x?xf32>,
                  %G: !tinytc.group<!tinytc.memref<f32> x ?>) {
  // CHECK: tinytc.size %{{.*}}[1] : !tinytc.memref<16x?xf32>
  %0 = tinytc.size %A[1] : !tinytc.memref<16x?xf32>
  // CHECK: tinytc.size %{{.*}}[0] : !tinytc.group<!tinytc.memref<f32> x ?>
  %1 = tinytc.size %G[0] : !tinytc.group<!tinytc.memref<f32> x ?>
}

// CHECK-LABEL: @load_store
tinytc.func @load_store(%A: !tinytc.memref<16x?xf32>, %B: !tinytc.memref<f32>,
                        %G: !tinytc.group<!tinytc.memref<f32> x ?>, %i: index) {
  // CHECK: tinytc.load %{{.*}}[%{{.*}}, %{{.*}}] : !tinytc.memref<16x?xf32>
  %0 = tinytc.load %A[%i, %i] : !tinytc.memref<16x?xf32>
  // CHECK: tinytc.load %{{.*}}[%{{.*}}] : !tinytc.group<!tinytc.memref<f32> x ?>
  %1 = tinytc.load %G[%i] : !tinytc.group<!tinytc.memref<f32> x ?>
  // CHECK: tinytc.store %{{.*}}, %{{.*}}[] : f32, !tinytc.memref<f32>
  tinytc.store %0, %B[] : f32, !tinytc.memref<f32>
  // CHECK: tinytc.store atomic %{{.*}}, %{{.*}}[] : f32, !tinytc.memref<f32>
  tinytc.store atomic %0, %1[] : f32, !tinytc.memref<f32>
  // CHECK: tinytc.store atomic_add %{{.*}}, %{{.*}}[] : f32, !tinytc.memref<f32>
  tinytc.store atomic_add %0, %1[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @lifetime_stop
tinytc.func @lifetime_stop(%c: i1) {
  %0 = tinytc.alloca : !tinytc.memref<4xf32, local>
  %1 = tinytc.alloca : !tinytc.memref<4xf32, local>
  // CHECK: tinytc.lifetime_stop %{{.*}} : !tinytc.memref<4xf32, local>
  tinytc.lifetime_stop %0 : !tinytc.memref<4xf32, local>
  // Only one branch runs.
  tinytc.if %c {
    tinytc.lifetime_stop %1 : !tinytc.memref<4xf32, local>
  } else {
    %2 = tinytc.size %1[0] : !tinytc.memref<4xf32, local>
  }
}

// CHECK-LABEL: @for
tinytc.func @for(%a: i32, %b: i32, %i: index, %x: f32, %y: i1) {
  // CHECK: tinytc.for %{{.*}} = %{{.*}}, %{{.*}} {
  // CHECK-NEXT: } {unroll = true}
  tinytc.for %v = %i, %i {
  } {unroll = true}
  // CHECK: tinytc.for %{{.*}} : i32 = %{{.*}}, %{{.*}}, %{{.*}} init(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, i1) {
  // CHECK: tinytc.yield %{{.*}}, %{{.*}} : f32, i1
  %0, %1 = tinytc.for %v : i32 = %a, %b, %b init(%p = %x, %q = %y) -> (f32, i1) {
    tinytc.yield %p, %q : f32, i1
  }
}

// CHECK-LABEL: @if
tinytc.func @if(%c: i1, %x: f32) {
  // CHECK: tinytc.if %{{.*}} {
  tinytc.if %c {
  }
  // CHECK: tinytc.if %{{.*}} -> (f32) {
  // CHECK: } else {
  %0 = tinytc.if %c -> (f32) {
    tinytc.yield %x : f32
  } else {
    tinytc.yield %x : f32
  }
}
