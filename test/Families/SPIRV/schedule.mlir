// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s

// What the cost model chooses for matrix products on the CPU, by the accumulators of
// their loops: two blocks of 16 rows and eight columns for 32 x 32, and so on. A change of
// the model that changes a choice shows up here; docs/performance.md explains the model.

// Two blocks of rows and eight columns: four tiles of one width.
// CHECK-LABEL: gpu.func @cube32
//  CHECK-SAME:   tinytc.subgroup_size = 16
//       CHECK:   :16 = scf.for %{{.*}} = %c0 to %c32 step %c1
//   CHECK-NOT:   scf.for
tinytc.func @cube32(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                    %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// Eight rows: half of a vector register is enough.
// CHECK-LABEL: gpu.func @cube8
//  CHECK-SAME:   tinytc.subgroup_size = 8
//       CHECK:   :8 = scf.for %{{.*}} = %c0 to %c8 step %c1
tinytc.func @cube8(%a: !tinytc.memref<8x8xf32>, %b: !tinytc.memref<8x8xf32>,
                   %c: !tinytc.memref<8x8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
}

// 47 columns are three tiles of 12 and one of 11.
// CHECK-LABEL: gpu.func @even
//       CHECK:   scf.for %{{.*}} = %c0 to %c3 step %c1
//       CHECK:     :24 = scf.for %{{.*}} = %c0 to %c32 step %c1
//       CHECK:   :22 = scf.for %{{.*}} = %c0 to %c32 step %c1
tinytc.func @even(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x47xf32>,
                  %c: !tinytc.memref<32x47xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x47xf32>, f32,
      !tinytc.memref<32x47xf32>
}

// All nine columns at once, three blocks of rows, the last of which overlaps the one before.
// CHECK-LABEL: gpu.func @wave35
//  CHECK-SAME:   tinytc.subgroup_size = 16
//       CHECK:   :27 = scf.for %{{.*}} = %c0 to %c35 step %c1
tinytc.func @wave35(%a: !tinytc.memref<35x35xf32>, %b: !tinytc.memref<35x9xf32>,
                    %c: !tinytc.memref<35x9xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<35x35xf32>, !tinytc.memref<35x9xf32>, f32,
      !tinytc.memref<35x9xf32>
}

// Two full registers for 24 rows, not three halves: a half takes a core almost as long.
// CHECK-LABEL: gpu.func @wave24
//  CHECK-SAME:   tinytc.subgroup_size = 16
//       CHECK:   :18 = scf.for %{{.*}} = %c0 to %c56 step %c1
tinytc.func @wave24(%a: !tinytc.memref<24x56xf32>, %b: !tinytc.memref<56x9xf32>,
                    %c: !tinytc.memref<24x9xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<24x56xf32>, !tinytc.memref<56x9xf32>, f32,
      !tinytc.memref<24x9xf32>
}

// Neither A nor B fits the first cache: half of the rows at once, so that B comes from
// the second cache only twice, and A stays in the first one for all columns.
// CHECK-LABEL: gpu.func @cube128
//       CHECK:   scf.for %{{.*}} = %c0 to %c128 step %c64
//       CHECK:     :24 = scf.for %{{.*}} = %c0 to %c128 step %c1
//       CHECK:     :20 = scf.for %{{.*}} = %c0 to %c128 step %c1
tinytc.func @cube128(%a: !tinytc.memref<128x128xf32>, %b: !tinytc.memref<128x128xf32>,
                     %c: !tinytc.memref<128x128xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<128x128xf32>, !tinytc.memref<128x128xf32>, f32,
      !tinytc.memref<128x128xf32>
}

// The schedule of the kernel overrules the model.
// CHECK-LABEL: gpu.func @given
//       CHECK:   :8 = scf.for %{{.*}} = %c0 to %c32 step %c2
tinytc.func @given(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                   %c: !tinytc.memref<32x32xf32>)
    attributes {schedule = #tinytc.schedule<rows = 2, columns = 4, unroll = 2>} {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// Large entries leave the compiler small ones: one column beside 256 rows.
// CHECK-LABEL: gpu.func @many_rows
//       CHECK:   :256 = scf.for
//   CHECK-NOT:   :512 = scf.for
tinytc.func @many_rows(%a: !tinytc.memref<?x?xf32>, %b: !tinytc.memref<?x?xf32>,
                       %c: !tinytc.memref<?x?xf32>)
    attributes {schedule = #tinytc.schedule<rows = 256>} {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<?x?xf32>, !tinytc.memref<?x?xf32>, f32, !tinytc.memref<?x?xf32>
}
