// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v4-amx \
// RUN:   --tinytc-convert-gpu-to-vector --verify-diagnostics

gpu.module @kernels {
gpu.func @two_tiles(%a: memref<?xi32>, %c: memref<?xf32>, %n: index) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
  tinytc.tile_product bf16 %a by %n, %a by %n, %c[%n] by %n at (%n) (%n) steps %n
    tile [16, 12, 16] : memref<?xi32>, memref<?xi32>, memref<?xf32>
  // expected-error @+1 {{expected the tile [16, 12, 16] of the kernel's first product, got [16, 16, 16]}}
  tinytc.tile_product bf16 %a by %n, %a by %n, %c[%n] by %n at (%n) (%n) steps %n
    tile [16, 16, 16] : memref<?xi32>, memref<?xi32>, memref<?xf32>
  gpu.return
}
}

// -----

gpu.module @kernels {
gpu.func @some_lanes(%a: memref<?xi32>, %c: memref<?xf32>, %n: index) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
  %lane = gpu.lane_id
  %is_inside = arith.cmpi slt, %lane, %n : index
  scf.if %is_inside {
    // expected-error @+1 {{expected an op that lanes of a vector can run, got 'tinytc.tile_product'}}
    tinytc.tile_product bf16 %a by %n, %a by %n, %c[%n] by %n at (%n) (%n) steps %n
      tile [16, 12, 16] : memref<?xi32>, memref<?xi32>, memref<?xf32>
  }
  gpu.return
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v4", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
gpu.func @no_registers(%a: memref<?xi32>, %c: memref<?xf32>, %n: index) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
  // expected-error @+1 {{expected a target with tile registers, got 'x86-64-v4'}}
  tinytc.tile_product bf16 %a by %n, %a by %n, %c[%n] by %n at (%n) (%n) steps %n
    tile [16, 12, 16] : memref<?xi32>, memref<?xi32>, memref<?xf32>
  gpu.return
}
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "aarch64-mmla", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
gpu.func @other_tile(%a: memref<?xi32>, %c: memref<?xf32>, %n: index) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
  // expected-error @+1 {{expected a tile of multiples of [4, 2, 2] up to [4, 4, 2] on 'aarch64-mmla', got [4, 3, 2]}}
  tinytc.tile_product bf16 %a by %n, %a by %n, %c[%n] by %n at (%n) (%n) steps %n
    tile [4, 3, 2] : memref<?xi32>, memref<?xi32>, memref<?xf32>
  gpu.return
}
}
}
