// RUN: tinytc-opt %s --tinytc-attach-target=target=aarch64-mmla \
// RUN:   --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

gpu.module @kernels {
// Each tile of 4 x 2 sums is two vectors, which the loop carries. Words of two steps of
// four rows become two vectors of two rows each.
// CHECK-LABEL: @product
//   CHECK-NOT:   ldtilecfg
//       CHECK:   %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
//       CHECK:   %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[ZERO]], %[[S1:.*]] = %[[ZERO]], %[[S2:.*]] = %[[ZERO]], %[[S3:.*]] = %[[ZERO]])
//       CHECK:     %[[B0:.*]] = llvm.load %{{.*}} -> vector<2xi32>
//       CHECK:     %[[B1:.*]] = llvm.load %{{.*}} -> vector<2xi32>
//       CHECK:     %[[B:.*]] = vector.shuffle %[[B0]], %[[B1]] [0, 1, 2, 3]
//       CHECK:     %[[COLUMNS:.*]] = vector.bitcast %[[B]] : vector<4xi32> to vector<8xbf16>
//       CHECK:     %[[A0:.*]] = llvm.load %{{.*}} -> vector<4xi32>
//       CHECK:     %[[A1:.*]] = llvm.load %{{.*}} -> vector<4xi32>
//       CHECK:     vector.shuffle %[[A0]], %[[A1]] [0, 4, 1, 5]
//       CHECK:     vector.shuffle %[[A0]], %[[A1]] [2, 6, 3, 7]
//       CHECK:     llvm.call_intrinsic "llvm.aarch64.neon.bfmmla"(%[[S0]], %[[COLUMNS]], %{{.*}})
// CHECK-COUNT-3:     "llvm.aarch64.neon.bfmmla"
//       CHECK:     scf.yield
//       CHECK:   vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [0, 1, 4, 5]
//       CHECK:   vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [2, 3, 6, 7]
// CHECK-COUNT-4:   llvm.store %{{.*}} : vector<4xf32>
gpu.func @product(%a: memref<?xi32>, %c: memref<?xf32>, %i: index, %n: index) kernel
    attributes {known_block_size = array<i32: 4, 1, 1>, tinytc.subgroup_size = 4 : i32} {
  tinytc.tile_product bf16 %a by %n, %a by %n, %c[%i] by %n at (%n, %i) (%n) steps %n
    tile [4, 2, 2] : memref<?xi32>, memref<?xi32>, memref<?xf32>
  gpu.return
}

// Sums that begin with C, and few steps, which are no loop. Tiles may differ.
// CHECK-LABEL: @sums
//       CHECK:   %[[C0:.*]] = llvm.load %{{.*}} -> vector<4xi32>
//       CHECK:   %[[C1:.*]] = llvm.load %{{.*}} -> vector<4xi32>
//       CHECK:   %[[SUM:.*]] = vector.shuffle %[[C0]], %[[C1]] [0, 1, 4, 5]
//       CHECK:   llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"(%[[SUM]],
// CHECK-COUNT-3:   "llvm.aarch64.neon.smmla.v4i32.v16i8"
//       CHECK:   scf.for
// CHECK-COUNT-4:     "llvm.aarch64.neon.smmla.v4i32.v16i8"
gpu.func @sums(%a: memref<?xi32>, %n: index) kernel
    attributes {known_block_size = array<i32: 4, 1, 1>, tinytc.subgroup_size = 4 : i32} {
  %c4 = arith.constant 4 : index
  tinytc.tile_product accumulate i8 %a by %n, %a by %n, %a[%n] by %n at (%n) (%n) steps %c4
    tile [4, 2, 2] : memref<?xi32>, memref<?xi32>, memref<?xi32>
  tinytc.tile_product i8 %a by %n, %a by %n, %a[%n] by %n at (%n) (%n) steps %n
    tile [4, 4, 2] : memref<?xi32>, memref<?xi32>, memref<?xi32>
  gpu.return
}
}
