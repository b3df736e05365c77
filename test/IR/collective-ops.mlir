// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

// CHECK-LABEL: @alloca
// CHECK: tinytc.alloca {alignment = 64 : i64} : !tinytc.memref<4xf32, local>
tinytc.func @alloca() {
  %0 = tinytc.alloca {alignment = 64} : !tinytc.memref<4xf32, local>
}

// CHECK-LABEL: @axpby
// CHECK: tinytc.axpby n %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, !tinytc.memref<4xf32>, f64, !tinytc.memref<4xf64>
// CHECK: tinytc.axpby t atomic %
tinytc.func @axpby(%x: f32, %y: f64, %a: !tinytc.memref<4xf32>,
                   %b: !tinytc.memref<4xf64>, %A: !tinytc.memref<4x8xf32>,
                   %B: !tinytc.memref<8x?xf32>) {
  tinytc.axpby n %x, %a, %y, %b
    : f32, !tinytc.memref<4xf32>, f64, !tinytc.memref<4xf64>
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby t atomic %x, %A, %one, %B
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<8x?xf32>
}

// CHECK-LABEL: @cumsum
// CHECK: tinytc.cumsum %{{.*}}, %{{.*}}, 1, %{{.*}}, %{{.*}} : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32>
// CHECK: tinytc.cumsum atomic %
// CHECK: tinytc.cumsum reverse %
// CHECK: tinytc.cumsum reverse atomic %
tinytc.func @cumsum(%x: f32, %A: !tinytc.memref<4x8xf32>,
                    %B: !tinytc.memref<4x8xf32>) {
  tinytc.cumsum %x, %A, 1, %x, %B
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32>
  %zero = tinytc.constant 0.0 : f32
  tinytc.cumsum atomic %x, %A, 0, %zero, %B
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32>
  tinytc.cumsum reverse %x, %A, 0, %zero, %B
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32>
  tinytc.cumsum reverse atomic %x, %A, 0, %zero, %B
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32>
}

// CHECK-LABEL: @gemm
// CHECK: tinytc.gemm n t %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i8, !tinytc.memref<4x8xbf16>, !tinytc.memref<2x8xf32>, complex<f32>
// CHECK: tinytc.gemm t n atomic %
// CHECK: tinytc.gemm r c %
tinytc.func @gemm(%x: i8, %y: complex<f32>, %A: !tinytc.memref<4x8xbf16>,
                  %B: !tinytc.memref<2x8xf32>, %C: !tinytc.memref<4x2xcomplex<f32>>,
                  %D: !tinytc.memref<?x?xf32>) {
  tinytc.gemm n t %x, %A, %B, %y, %C
    : i8, !tinytc.memref<4x8xbf16>, !tinytc.memref<2x8xf32>, complex<f32>,
      !tinytc.memref<4x2xcomplex<f32>>
  %one = tinytc.constant [1.0 : f32, 0.0 : f32] -> complex<f32>
  tinytc.gemm t n atomic %x, %D, %D, %one, %C
    : i8, !tinytc.memref<?x?xf32>, !tinytc.memref<?x?xf32>, complex<f32>,
      !tinytc.memref<4x2xcomplex<f32>>
  tinytc.gemm r c %x, %A, %B, %y, %C
    : i8, !tinytc.memref<4x8xbf16>, !tinytc.memref<2x8xf32>, complex<f32>,
      !tinytc.memref<4x2xcomplex<f32>>
}

// CHECK-LABEL: @gemv
// CHECK: tinytc.gemv t %
// CHECK: tinytc.gemv n atomic %
tinytc.func @gemv(%x: f32, %A: !tinytc.memref<4x8xf32>, %b: !tinytc.memref<4xf32>,
                  %c: !tinytc.memref<8xf32>) {
  tinytc.gemv t %x, %A, %b, %x, %c
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<4xf32>, f32,
      !tinytc.memref<8xf32>
  %one = tinytc.constant 1.0 : f32
  tinytc.gemv n atomic %x, %A, %c, %one, %b
    : f32, !tinytc.memref<4x8xf32>, !tinytc.memref<8xf32>, f32,
      !tinytc.memref<4xf32>
}

// CHECK-LABEL: @ger
// CHECK: tinytc.ger %
// CHECK: tinytc.ger atomic %
tinytc.func @ger(%x: f32, %a: !tinytc.memref<4xf32>, %b: !tinytc.memref<8xf32>,
                 %C: !tinytc.memref<4x8xf32>) {
  tinytc.ger %x, %a, %b, %x, %C
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f32,
      !tinytc.memref<4x8xf32>
  %one = tinytc.constant 1.0 : f32
  tinytc.ger atomic %x, %a, %b, %one, %C
    : f32, !tinytc.memref<4xf32>, !tinytc.memref<8xf32>, f32,
      !tinytc.memref<4x8xf32>
}

// CHECK-LABEL: @hadamard_product
// CHECK: tinytc.hadamard_product %
// CHECK: tinytc.hadamard_product atomic %
tinytc.func @hadamard_product(%x: i32, %a: !tinytc.memref<4xi32>,
                              %A: !tinytc.memref<4x8xi32>) {
  tinytc.hadamard_product %x, %a, %a, %x, %a
    : i32, !tinytc.memref<4xi32>, !tinytc.memref<4xi32>, i32, !tinytc.memref<4xi32>
  %one = tinytc.constant 1 : i32
  tinytc.hadamard_product atomic %x, %A, %A, %one, %A
    : i32, !tinytc.memref<4x8xi32>, !tinytc.memref<4x8xi32>, i32,
      !tinytc.memref<4x8xi32>
}

// CHECK-LABEL: @sum
// CHECK: tinytc.sum t %
// CHECK: tinytc.sum n atomic %
tinytc.func @sum(%x: f64, %a: !tinytc.memref<4xf64>, %A: !tinytc.memref<8x4xf64>,
                 %c: !tinytc.memref<f64>) {
  tinytc.sum t %x, %A, %x, %a
    : f64, !tinytc.memref<8x4xf64>, f64, !tinytc.memref<4xf64>
  %one = tinytc.constant 1.0 : f64
  tinytc.sum n atomic %x, %a, %one, %c
    : f64, !tinytc.memref<4xf64>, f64, !tinytc.memref<f64>
}

// CHECK-LABEL: @foreach_tile
// CHECK: tinytc.foreach_tile (%{{.*}}) = (%{{.*}}), (%{{.*}}) as (%{{.*}}) <= (32) {
// CHECK: tinytc.foreach_tile (%{{.*}}, %{{.*}}) : i32, index = (%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}) as (%{{.*}}, %{{.*}}) <= (16, 3) {
// CHECK: } {user.key = 1 : i64}
tinytc.func @foreach_tile(%a: index, %b: i32) {
  tinytc.foreach_tile (%i) = (%a), (%a) as (%m) <= (32) {
  }
  tinytc.foreach_tile (%i, %j) : i32, index = (%b, %a), (%b, %a) as (%m, %n) <= (16, 3) {
  } {user.key = 1 : i64}
}

// CHECK-LABEL: @foreach_of_two_types
// CHECK: tinytc.foreach (%{{.*}}, %{{.*}}) : i32, index = (%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}) {
tinytc.func @foreach_of_two_types(%a: index, %b: i32) {
  tinytc.foreach (%i, %j) : i32, index = (%b, %a), (%b, %a) {
  }
}

// CHECK-LABEL: @foreach(
// CHECK: tinytc.foreach (%{{.*}}) = (%{{.*}}), (%{{.*}}) {
// CHECK: tinytc.foreach (%{{.*}}, %{{.*}}) : i32 = (%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}) {
// CHECK-NOT: yield
tinytc.func @foreach(%a: index, %b: i32) {
  tinytc.foreach (%i) = (%a), (%a) {
  }
  tinytc.foreach (%i, %j) : i32 = (%b, %b), (%b, %b) {
    %0 = tinytc.arith.add %i, %j : i32
  }
}

// CHECK-LABEL: @parallel
// CHECK: tinytc.parallel {
// CHECK: tinytc.barrier global local
// CHECK: tinytc.barrier{{$}}
tinytc.func @parallel() {
  tinytc.parallel {
    tinytc.barrier global local
    tinytc.barrier
  }
}
