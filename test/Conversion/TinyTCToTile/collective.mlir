// RUN: tinytc-opt %s --lower-to-tile | FileCheck %s
// RUN: tinytc-opt %s --lower-to-tile=aligned | FileCheck %s --check-prefix=ALIGNED

// Modes are reversed, C^T = B^T A^T; beta = 0 does not read C.
// CHECK-LABEL: tile.entry @gemm(
// CHECK-SAME:    %[[ALPHA:.*]]: !tile.tile<f32>, %{{.*}}: !tile.tile<!tile.ptr<f32>>
// CHECK:         %[[A:.*]], %{{.*}} = tile.load_view_tko weak
// CHECK-SAME:      !tile.tile<8x16xf32>
// CHECK:         %[[B:.*]], %{{.*}} = tile.load_view_tko weak
// CHECK-SAME:      !tile.tile<4x8xf32>
// CHECK:         %[[SUM:.*]] = tile.mmaf %[[B]], %[[A]], %{{.*}} : !tile.tile<4x8xf32>, !tile.tile<8x16xf32>, !tile.tile<4x16xf32>
// CHECK:         tile.if
// CHECK-NEXT:      tile.yield
// CHECK:         } else {
// CHECK:           tile.load_view_tko weak
// CHECK:         tile.store_view_tko weak
// ALIGNED-LABEL: tile.entry @gemm(
// ALIGNED:         tile.assume #tile.div_by<16>
tinytc.func @gemm(%alpha: f32, %A: !tinytc.memref<16x8xf32>,
                  %B: !tinytc.memref<8x4xf32>, %beta: f32,
                  %C: !tinytc.memref<16x4xf32>) {
  tinytc.gemm n n %alpha, %A, %B, %beta, %C
    : f32, !tinytc.memref<16x8xf32>, !tinytc.memref<8x4xf32>, f32,
      !tinytc.memref<16x4xf32>
}

// bf16 stays bf16 up to the product, a transposed factor is permuted, and the loop over the
// summed mode orders its loads after what was before the loop only.
// CHECK-LABEL: tile.entry @gemm_tn(
// CHECK:         tile.for %{{.*}} to %{{.*}} step %{{.*}} : !tile.tile<i32>
// CHECK:           %[[A:.*]], %{{.*}} = tile.load_view_tko weak {{[^t]*}} :
// CHECK-SAME:        padding = zero
// CHECK:           %[[T:.*]] = tile.permute %[[A]] [1, 0]
// CHECK:           tile.mmaf %{{.*}}, %[[T]], %{{.*}} : !tile.tile<64x32xbf16>, !tile.tile<32x64xbf16>, !tile.tile<64x64xf32>
// CHECK:           tile.continue
// CHECK-NOT:     tile.if
tinytc.func @gemm_tn(%A: !tinytc.memref<?x64xbf16>, %B: !tinytc.memref<?x64xbf16>,
                     %C: !tinytc.memref<64x64xf32>) {
  %alpha = tinytc.constant 1.0 : bf16
  %beta = tinytc.constant 0.0 : f32
  tinytc.gemm t n %alpha, %A, %B, %beta, %C
    : bf16, !tinytc.memref<?x64xbf16>, !tinytc.memref<?x64xbf16>, f32,
      !tinytc.memref<64x64xf32>
}

// Complex numbers are the last dimension of a view.
// CHECK-LABEL: tile.entry @axpby(
// CHECK:         !tile.partition_view<[8, 2], !tile.tensor_view<7x2xf32, strides = [2, 1]>, padding = zero>
// CHECK:         tile.extract {{.*}} : !tile.tile<8x2xf32> -> !tile.tile<8x1xf32>
// CHECK:         tile.cat {{.*}} dim = 1
tinytc.func @axpby(%A: !tinytc.memref<7xcomplex<f32>>, %B: !tinytc.memref<7xcomplex<f32>>) {
  %one = tinytc.constant [1.0 : f32, 0.0 : f32] -> complex<f32>
  tinytc.axpby n %one, %A, %one, %B
    : complex<f32>, !tinytc.memref<7xcomplex<f32>>, complex<f32>,
      !tinytc.memref<7xcomplex<f32>>
}

// Integers other than i8 are multiplied and summed up.
// CHECK-LABEL: tile.entry @integers(
// CHECK:         tile.mmai
// CHECK:         tile.muli
// CHECK:         tile.reduce
// CHECK:         tile.scan
tinytc.func @integers(%A: !tinytc.memref<4x4xi8>, %B: !tinytc.memref<4x4xi32>,
                      %C: !tinytc.memref<4x4xi32>) {
  %one = tinytc.constant 1 : i8
  tinytc.gemm n n %one, %A, %A, %one, %B
    : i8, !tinytc.memref<4x4xi8>, !tinytc.memref<4x4xi8>, i8, !tinytc.memref<4x4xi32>
  tinytc.gemm n n %one, %A, %B, %one, %C
    : i8, !tinytc.memref<4x4xi8>, !tinytc.memref<4x4xi32>, i8, !tinytc.memref<4x4xi32>
  tinytc.cumsum %one, %A, 1, %one, %B
    : i8, !tinytc.memref<4x4xi8>, i8, !tinytc.memref<4x4xi32>
}

// CHECK-LABEL: tile.entry @atomic(
// CHECK:         tile.atomic_rmw_tko relaxed device {{.*}}, addf, {{.*}} mask
tinytc.func @atomic(%A: !tinytc.memref<7xf32>, %B: !tinytc.memref<7xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n atomic %one, %A, %one, %B
    : f32, !tinytc.memref<7xf32>, f32, !tinytc.memref<7xf32>
}

// From the end: the last tile is the first one, and local memory is 0 after its last element.
// CHECK-LABEL: tile.entry @reverse(
// CHECK:         tile.subi
// CHECK:         tile.for
// CHECK:           tile.subi
// CHECK:           tile.scan {{.*}} reverse = true
// CHECK:         tile.select
// CHECK:         tile.scan {{.*}} reverse = true
tinytc.func @reverse(%A: !tinytc.memref<?xf32>, %B: !tinytc.memref<?xf32>,
                     %C: !tinytc.memref<5xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.cumsum reverse %one, %A, 0, %zero, %B
    : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
  %t = tinytc.alloca : !tinytc.memref<5xf32, local>
  tinytc.axpby n %one, %C, %zero, %t
    : f32, !tinytc.memref<5xf32>, f32, !tinytc.memref<5xf32, local>
  tinytc.cumsum reverse %one, %t, 0, %zero, %C
    : f32, !tinytc.memref<5xf32, local>, f32, !tinytc.memref<5xf32>
}
