// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s

// On 16 registers of 32 bytes tiles are smaller than on those of AVX-512, and sums are
// unrolled.

module attributes {tinytc.target = #tinytc.target<
    name = "cpu", family = cpu, subgroup_sizes = [4, 8, 16, 32, 64], max_work_group_size = 8192,
    local_memory_bytes = 262144, f64 = true, vector_bytes = 32>} {

// Four blocks of rows and three columns need all registers; two columns are left over.
// CHECK-LABEL: gpu.func @cube32
//  CHECK-SAME:   tinytc.subgroup_size = 8
//       CHECK:   :12 = scf.for %{{.*}} = %c0 to %c32 step %c2
//       CHECK:   :8 = scf.for %{{.*}} = %c0 to %c32 step %c2
tinytc.func @cube32(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                    %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// A fits the first cache: columns outside. Tiles of two widths are then better than tiles of
// two heights, which would be another loop for every tile of columns.
// CHECK-LABEL: gpu.func @cube32_f64
//  CHECK-SAME:   tinytc.subgroup_size = 4
//       CHECK:   scf.for %{{.*}} = %c0 to %c10 step %c1
//       CHECK:     scf.for %{{.*}} = %c0 to %c32 step %c16
//       CHECK:       :12 = scf.for %{{.*}} = %c0 to %c32 step %c2
//       CHECK:   scf.for %{{.*}} = %c0 to %c32 step %c16
//       CHECK:     :8 = scf.for %{{.*}} = %c0 to %c32 step %c2
tinytc.func @cube32_f64(%a: !tinytc.memref<32x32xf64>, %b: !tinytc.memref<32x32xf64>,
                        %c: !tinytc.memref<32x32xf64>) {
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f64, !tinytc.memref<32x32xf64>, !tinytc.memref<32x32xf64>, f64,
      !tinytc.memref<32x32xf64>
}

// A does not fit: rows outside.
// CHECK-LABEL: gpu.func @cube128
//       CHECK:   gpu.barrier
//       CHECK:   scf.for %{{.*}} = %c0 to %c128 step %c32
//       CHECK:     scf.for %{{.*}} = %c0 to %c42 step %c1
//       CHECK:       :12 = scf.for %{{.*}} = %c0 to %c128 step %c2
tinytc.func @cube128(%a: !tinytc.memref<128x128xf32>, %b: !tinytc.memref<128x128xf32>,
                     %c: !tinytc.memref<128x128xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<128x128xf32>, !tinytc.memref<128x128xf32>, f32,
      !tinytc.memref<128x128xf32>
}

// Five blocks of rows in one tile, rather than in tiles of two heights. Three steps leave
// no remainder.
// CHECK-LABEL: gpu.func @five_blocks
//  CHECK-SAME:   tinytc.subgroup_size = 8
//       CHECK:   :10 = scf.for %{{.*}} = %c0 to %c9 step %c3
//       CHECK:   :5 = scf.for %{{.*}} = %c0 to %c9 step %c1
//   CHECK-NOT:   scf.for
//       CHECK:   gpu.return
tinytc.func @five_blocks(%a: !tinytc.memref<35x9xf32>, %b: !tinytc.memref<9x9xf32>,
                         %c: !tinytc.memref<35x9xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<35x9xf32>, !tinytc.memref<9x9xf32>, f32,
      !tinytc.memref<35x9xf32>
}

// The tile of the last rows overlaps the one before, so all are written.
// CHECK-LABEL: gpu.func @short
//       CHECK:   :9 = scf.for
//   CHECK-NOT:   scf.if
//       CHECK:   gpu.return
tinytc.func @short(%a: !tinytc.memref<20x9xf32>, %b: !tinytc.memref<9x9xf32>,
                   %c: !tinytc.memref<20x9xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<20x9xf32>, !tinytc.memref<9x9xf32>, f32,
      !tinytc.memref<20x9xf32>
}

// Of seven steps one is left over.
// CHECK-LABEL: gpu.func @uneven
//       CHECK:   scf.for %{{.*}} = %c0 to %c6 step %c2 iter_args
//       CHECK:   gpu.return
tinytc.func @uneven(%a: !tinytc.memref<16x7xf32>, %b: !tinytc.memref<7x8xf32>,
                    %c: !tinytc.memref<16x8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<16x7xf32>, !tinytc.memref<7x8xf32>, f32,
      !tinytc.memref<16x8xf32>
}

// Four steps need no loop.
// CHECK-LABEL: gpu.func @four_steps
//   CHECK-NOT:   iter_args
//       CHECK:   gpu.return
tinytc.func @four_steps(%a: !tinytc.memref<16x4xf32>, %b: !tinytc.memref<4x8xf32>,
                        %c: !tinytc.memref<16x8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<16x4xf32>, !tinytc.memref<4x8xf32>, f32,
      !tinytc.memref<16x8xf32>
}

// Conversions make steps long enough.
// CHECK-LABEL: gpu.func @converts
//       CHECK:   scf.for %{{.*}} = %c0 to %c32 step %c1 iter_args
tinytc.func @converts(%a: !tinytc.memref<32x32xbf16>, %b: !tinytc.memref<32x32xbf16>,
                      %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : bf16
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : bf16, !tinytc.memref<32x32xbf16>, !tinytc.memref<32x32xbf16>, f32,
      !tinytc.memref<32x32xf32>
}
// Sums of unknown length go step by step: a remainder would be a loop of its own. Three
// columns at most, each of which has its own address.
// CHECK-LABEL: gpu.func @dynamic
//       CHECK:   :12 = scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args
//       CHECK:   :3 = scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args
//   CHECK-NOT:   :12 = scf.for
//       CHECK:   gpu.return
tinytc.func @dynamic(%a: !tinytc.memref<?x?xf32>, %b: !tinytc.memref<?x?xf32>,
                     %c: !tinytc.memref<?x?xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<?x?xf32>, !tinytc.memref<?x?xf32>, f32,
      !tinytc.memref<?x?xf32>
}
}
