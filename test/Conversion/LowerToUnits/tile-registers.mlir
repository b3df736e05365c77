// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v4-amx \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v4 \
// RUN:   --tinytc-choose-work-group-size --verify-diagnostics=only-expected \
// RUN:   --tinytc-convert-to-linalg

!a = !tinytc.memref<80x33xbf16>
!b = !tinytc.memref<33x35xbf16>
!c = !tinytc.memref<80x35xf32>

// 17 words of a row are 32: the last number alone, then zeros. There are two pairs of
// tiles of rows and a last tile, a pair of tiles of columns and a last tile that overlaps
// it. Tiles go to C.
// CHECK-LABEL: @stored
//   CHECK-DAG:   %[[C:.*]] = memref.cast %arg2
//       CHECK:   gpu.barrier
//       CHECK:   scf.forall
//       CHECK:     memref.store %{{.*}} : memref<80x32xi32, strided<[1, 80]>
//       CHECK:   scf.forall
//       CHECK:     memref.store %{{.*}} : memref<80x32xi32, strided<[1, 80]>
//       CHECK:   scf.forall
//       CHECK:     memref.store %{{.*}} : memref<80x32xi32, strided<[1, 80]>
//       CHECK:   linalg.generic {{.*}} outs(%{{.*}} : memref<33x35xi16, strided<[1, 64]>
//       CHECK:   scf.forall
//       CHECK:     memref.store %{{.*}} : memref<64x35xi16, strided<[1, 64]>
//       CHECK:   gpu.barrier
//       CHECK:   %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[C]]
//       CHECK:   scf.for %[[ROW:.*]] = %c0{{.*}} to %c64
//       CHECK:     %[[SECOND:.*]] = arith.addi %[[ROW]], %c16
//       CHECK:     tinytc.tile_product bf16 %{{.*}} by %c80{{.*}}, %{{.*}} by %c32{{.*}}, %[[BASE]][%[[OFFSET]]] by %[[STRIDES]]#1 at(%[[ROW]], %[[SECOND]]) (%c0{{.*}}, %c12{{.*}}) steps %c32{{.*}} tile [16, 12, 16] : memref<2560xi32, {{.*}}>, memref<1120xi32, {{.*}}>, memref<f32>
//       CHECK:   }
//       CHECK:   tinytc.tile_product {{.*}} at(%c64{{.*}}) (%c0{{.*}}, %c12{{.*}})
//       CHECK:   scf.for
//       CHECK:     tinytc.tile_product {{.*}} at(%{{.*}}, %{{.*}}) (%c23{{.*}})
//       CHECK:   }
//       CHECK:   tinytc.tile_product {{.*}} at(%c64{{.*}}) (%c23{{.*}})
//   CHECK-NOT:   gpu.barrier
tinytc.func @stored(%a: !a, %b: !b, %c: !c) {
  %one = tinytc.constant 1.0 : bf16
  %zero = tinytc.constant 0.0 : f32
  // expected-error @+1 {{expected a strategy that the target has a unit for}}
  tinytc.gemm n n %one, %a, %b, %zero, %c {tinytc.local_offset = 0 : i64, tinytc.strategy = #tinytc.strategy<kind = tile_registers, rows = 16, columns = 12, unroll = 16, local_bytes = 14720>} : bf16, !a, !b, f32, !c
}

// -----

!a = !tinytc.memref<33x8xi8>
!b = !tinytc.memref<9x33xi8>
!c = !tinytc.memref<8x9xi32>

// Both factors are transposed, and rows and columns filled up to those of a tile. Sums
// are scaled and added to C afterwards.
// CHECK-LABEL: @scaled
//       CHECK:   linalg.generic {{.*}} outs(%{{.*}} : memref<33x8xi8, strided<[1, 48]>
//       CHECK:   gpu.barrier
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : memref<12x8xi32, strided<[1, 12]>, {{.*}} outs(%{{.*}} : memref<8x12xi32, strided<[1, 16]>
//       CHECK:   memref.store %{{.*}} : memref<16x12xi32, strided<[1, 16]>
//       CHECK:   memref.store %{{.*}} : memref<9x12xi32, strided<[1, 9]>
//       CHECK:   gpu.barrier
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : memref<9x12xi32, strided<[1, 9]>, {{.*}} outs(%{{.*}} : memref<12x9xi32, strided<[1, 16]>
//       CHECK:   memref.store %{{.*}} : memref<12x10xi32, strided<[1, 16]>
//       CHECK:   gpu.barrier
//       CHECK:   tinytc.tile_product i8 {{.*}} at(%c0{{.*}}) (%c0{{.*}}) steps %c12{{.*}} tile [16, 10, 4]
//       CHECK:   gpu.barrier
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : memref<8x9xi32, strided<[1, 16]>
//       CHECK:     arith.muli
tinytc.func @scaled(%alpha: i8, %a: !a, %b: !b, %beta: i32, %c: !c) {
  // expected-error @+1 {{expected a strategy that the target has a unit for}}
  tinytc.gemm t t %alpha, %a, %b, %beta, %c {tinytc.local_offset = 0 : i64, tinytc.strategy = #tinytc.strategy<kind = tile_registers, rows = 16, columns = 10, unroll = 4, local_bytes = 2880>} : i8, !a, !b, i32, !c
}
