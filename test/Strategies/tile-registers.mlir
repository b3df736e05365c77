// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v4-amx \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v4 \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   | FileCheck %s --check-prefix=VECTORS

// VECTORS-NOT: tile_registers

!a = !tinytc.memref<56x56xbf16>
!b = !tinytc.memref<56x9xbf16>
!c = !tinytc.memref<56x9xf32>

// 28 words of each row and column are 32, in columns of 64 words, and 9 columns of B 9
// times 32. Tiles are stored into C.
// CHECK-LABEL: @stored
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = tile_registers, rows = 16, columns = 9, unroll = 16, local_bytes = 9344>
tinytc.func @stored(%a: !a, %b: !b, %c: !c) {
  %one = tinytc.constant 1.0 : bf16
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c : bf16, !a, !b, f32, !c
}

// -----

!a = !tinytc.memref<35x35xbf16>
!c = !tinytc.memref<35x35xf32>
!d = !tinytc.memref<35x20xf32>
!b = !tinytc.memref<35x20xbf16>

// 35 columns are blocks of 12, 20 are blocks of 10, which are 12 here.
// CHECK-LABEL: @one_tile
// CHECK-COUNT-2: kind = tile_registers, rows = 16, columns = 12, unroll = 16, local_bytes
tinytc.func @one_tile(%a: !a, %b: !b, %beta: f32, %c: !c, %d: !d) {
  %one = tinytc.constant 1.0 : bf16
  tinytc.gemm n t %one, %a, %a, %beta, %c : bf16, !a, !a, f32, !c
  tinytc.gemm n n %one, %a, %b, %beta, %d : bf16, !a, !b, f32, !d
}

// -----

!a = !tinytc.memref<16x16xi8>
!c = !tinytc.memref<16x16xi32>
!d = !tinytc.memref<32x32xi8>
!e = !tinytc.memref<32x32xi32>

// Vectors multiply few bytes faster.
// CHECK-LABEL: @bytes
//       CHECK:   kind = dot_products
//       CHECK:   kind = tile_registers, rows = 16, columns = 16, unroll = 8, local_bytes = 3072
tinytc.func @bytes(%a: !a, %c: !c, %d: !d, %e: !e) {
  %one = tinytc.constant 1 : i8
  %zero = tinytc.constant 0 : i32
  tinytc.gemm n n %one, %a, %a, %zero, %c : i8, !a, !a, i32, !c
  tinytc.gemm n n %one, %d, %d, %zero, %e : i8, !d, !d, i32, !e
}

// -----

!m = !tinytc.memref<16x16xbf16>
!c = !tinytc.memref<16x16xf32>

// The smallest products pay if tiles are stored into C.
// CHECK-LABEL: @small
// CHECK-COUNT-2: kind = tile_registers, rows = 16, columns = 16, unroll = 8, local_bytes = 1536
//   CHECK-NOT:   tile_registers
tinytc.func @small(%a: !m, %beta: f32, %c: !c, %d: !c) {
  %one = tinytc.constant 1.0 : bf16
  %more = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %a, %zero, %c : bf16, !m, !m, f32, !c
  tinytc.gemm n n %one, %a, %a, %more, %c : bf16, !m, !m, f32, !c
  tinytc.gemm n n %one, %a, %a, %beta, %d : bf16, !m, !m, f32, !c
}

// -----

!a = !tinytc.memref<300x300xbf16>
!c = !tinytc.memref<300x300xf32>

// There is no memory for packed factors.
// CHECK-LABEL: @too_large
//   CHECK-NOT:   tile_registers
tinytc.func @too_large(%a: !a, %c: !c) {
  %one = tinytc.constant 1.0 : bf16
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %a, %zero, %c : bf16, !a, !a, f32, !c
}

// -----

!a = !tinytc.memref<64x64xbf16>
!c = !tinytc.memref<64x64xf32>

// One of several subgroups would multiply for all.
// CHECK-LABEL: @subgroups
//   CHECK-NOT:   tile_registers
tinytc.func @subgroups(%a: !a, %c: !c) attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 1>} {
  %one = tinytc.constant 1.0 : bf16
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %a, %zero, %c : bf16, !a, !a, f32, !c
  tinytc.parallel {
    tinytc.yield
  }
}
