// RUN: tinytc-opt %s --tinytc-attach-target=target=x86-64-v4-amx \
// RUN:   --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

gpu.module @kernels {
// Registers have shapes once, for all groups. One pair of tiles of rows, and tiles of
// words of A once for both columns.
// CHECK: llvm.mlir.global internal constant @__tinytc_tile_shapes(dense<[1, 0, {{.*}}, 64, 0, 64, 0, 64, 0, 64, 0, 28, 0, 28, 0, 64, 0, 64, 0, {{.*}}, 12, 12, 12, 12, 12, 12, 7, 7, 0
// CHECK-LABEL: @product
//       CHECK:   llvm.call_intrinsic "llvm.x86.ldtilecfg"
//       CHECK:   scf.for
// CHECK-COUNT-4:     "llvm.x86.tilezero"
//       CHECK:     scf.for
//       CHECK:       "llvm.x86.tileloadd64"(%c4_i8
//       CHECK:       "llvm.x86.tileloadd64"(%c6_i8
//       CHECK:       "llvm.x86.tdpbf16ps"(%c0_i8{{.*}}, %c4_i8{{.*}}, %c6_i8
//       CHECK:       "llvm.x86.tileloadd64"(%c7_i8
//       CHECK:       "llvm.x86.tdpbf16ps"(%c1_i8{{.*}}, %c4_i8{{.*}}, %c7_i8
//       CHECK:       "llvm.x86.tileloadd64"(%c5_i8
//       CHECK:       "llvm.x86.tdpbf16ps"(%c2_i8{{.*}}, %c5_i8{{.*}}, %c6_i8
//       CHECK:       "llvm.x86.tdpbf16ps"(%c3_i8{{.*}}, %c5_i8{{.*}}, %c7_i8
//       CHECK:     }
// CHECK-COUNT-4:     "llvm.x86.tilestored64"
//       CHECK:   }
//       CHECK:   llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
//       CHECK:   return
gpu.func @product(%c: memref<?xf32>, %i: index, %n: index) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
  %a = memref.alloc() : memref<4096xi8, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %words = memref.view %a[%c0][] : memref<4096xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
  tinytc.tile_product bf16 %words by %c16, %words by %c64, %c[%i] by %n at (%c0, %i) (%c0, %n) steps %n
    tile [16, 12, 7] : memref<1024xi32, #gpu.address_space<workgroup>>, memref<1024xi32, #gpu.address_space<workgroup>>, memref<?xf32>
  gpu.return
}

// Tiles that begin with C.
// CHECK-LABEL: @sum
//   CHECK-NOT:   tilezero
//       CHECK:   "llvm.x86.tileloadd64"(%c0_i8
//       CHECK:   "llvm.x86.tileloadd64"(%c4_i8
//       CHECK:   "llvm.x86.tileloadd64"(%c6_i8
//       CHECK:   "llvm.x86.tdpbssd"(%c0_i8{{.*}}, %c4_i8{{.*}}, %c6_i8
//       CHECK:   "llvm.x86.tilestored64"(%c0_i8
gpu.func @sum(%a: memref<?xi32>, %n: index) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
  tinytc.tile_product accumulate i8 %a by %n, %a by %n, %a[%n] by %n at (%n) (%n) steps %n
    tile [16, 16, 16] : memref<?xi32>, memref<?xi32>, memref<?xi32>
  gpu.return
}
}
