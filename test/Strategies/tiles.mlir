// RUN: tinytc-opt %s --tinytc-choose-strategies=tiles | FileCheck %s

!h = !tinytc.memref<100x48xf16>
!m = !tinytc.memref<48x64xf16>
!c = !tinytc.memref<100x64xf32>

// Tiles of f16 are multiplied as matrices: rows, columns, and steps.
// CHECK-LABEL: @halves
//       CHECK:   tinytc.gemm {{.*}} {tinytc.strategy = #tinytc.strategy<kind = tile_products, tile = [64, 64, 32]>}
tinytc.func @halves(%alpha: f16, %a: !h, %b: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !h, !m, f32, !c
}

// Lanes keep elements of factors of f32, too.
// CHECK-LABEL: @singles
//       CHECK:   <kind = tile_products, tile = [64, 32, 32]>
tinytc.func @singles(%alpha: f32, %a: !tinytc.memref<100x64xf32>, %b: !tinytc.memref<64x64xf32>, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c : f32, !tinytc.memref<100x64xf32>, !tinytc.memref<64x64xf32>, f32, !c
}

// No instruction multiplies matrices of i64.
// CHECK-LABEL: @integers
//       CHECK:   <kind = tiles, tile = [16, 16, 8]>
tinytc.func @integers(%alpha: i64, %a: !tinytc.memref<32x32xi64>, %c: !tinytc.memref<32x32xi64>) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : i64, !tinytc.memref<32x32xi64>, !tinytc.memref<32x32xi64>, i64, !tinytc.memref<32x32xi64>
}

// CHECK-LABEL: @unknown_size
//       CHECK:   tinytc.axpby {{.*}}<kind = tiles, tile = [32]>
tinytc.func @unknown_size(%alpha: f32, %a: !tinytc.memref<?xf32>, %b: !tinytc.memref<?xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// Local memory is one tile.
// CHECK-LABEL: @local
//       CHECK:   tinytc.axpby {{.*}}<kind = tiles, tile = [128]>
tinytc.func @local(%alpha: f32, %a: !tinytc.memref<100xf32>) {
  %b = tinytc.alloca : !tinytc.memref<100xf32, local>
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !tinytc.memref<100xf32>, f32, !tinytc.memref<100xf32, local>
}

// CHECK-LABEL: @kept
//       CHECK:   tinytc.axpby {{.*}}<kind = tiles, tile = [8]>
tinytc.func @kept(%alpha: f32, %a: !tinytc.memref<64xf32>, %b: !tinytc.memref<64xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %b {tinytc.strategy = #tinytc.strategy<kind = tiles, tile = [8]>} : f32, !tinytc.memref<64xf32>, f32, !tinytc.memref<64xf32>
}
