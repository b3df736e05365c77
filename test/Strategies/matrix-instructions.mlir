// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=aarch64-mmla \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=aarch64 \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   | FileCheck %s --check-prefix=OLDER

// OLDER-NOT: tile_registers

!a = !tinytc.memref<35x20xbf16>
!b = !tinytc.memref<20x18xbf16>
!c = !tinytc.memref<35x18xf32>
!d = !tinytc.memref<20x9xbf16>
!e = !tinytc.memref<35x9xf32>

// The last tiles overlap others. Few columns are those of vectors.
// CHECK-LABEL: @tiles
//       CHECK:   kind = tile_registers, rows = 4, columns = 4, unroll = 2, local_bytes = 3072
//       CHECK:   kind = dot_products
tinytc.func @tiles(%a: !a, %b: !b, %c: !c, %d: !d, %e: !e) {
  %one = tinytc.constant 1.0 : bf16
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c : bf16, !a, !b, f32, !c
  tinytc.gemm n n %one, %a, %d, %zero, %e : bf16, !a, !d, f32, !e
}

// -----

!a = !tinytc.memref<32x32xi8>
!c = !tinytc.memref<32x32xi32>

// Words of a transposed B take more time.
// CHECK-LABEL: @bytes
//       CHECK:   kind = tile_registers, rows = 4, columns = 4, unroll = 2
//       CHECK:   kind = dot_products
// OLDER-LABEL: @bytes
// OLDER-COUNT-2: kind = dot_products
tinytc.func @bytes(%a: !a, %c: !c) {
  %one = tinytc.constant 1 : i8
  %zero = tinytc.constant 0 : i32
  tinytc.gemm n n %one, %a, %a, %zero, %c : i8, !a, !a, i32, !c
  tinytc.gemm n t %one, %a, %a, %zero, %c : i8, !a, !a, i32, !c
}

// -----

!a = !tinytc.memref<48x48xi8>
!c = !tinytc.memref<48x48xi32>

// CHECK-LABEL: @given
//       CHECK:   kind = tile_registers, rows = 4, columns = 2, unroll = 2, local_bytes = 5376
tinytc.func @given(%a: !a, %c: !c) {
  %one = tinytc.constant 1 : i8
  %zero = tinytc.constant 0 : i32
  // The compiler adds the bytes of local memory that a given tile needs.
  tinytc.gemm n n %one, %a, %a, %zero, %c {tinytc.strategy = #tinytc.strategy<kind = tile_registers, rows = 4, columns = 2, unroll = 2>} : i8, !a, !a, i32, !c
}
