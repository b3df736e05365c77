// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s

// On 16 registers of 32 bytes tiles are smaller than on those of AVX-512.

module attributes {tinytc.target = #tinytc.target<
    name = "cpu", subgroup_sizes = [4, 8, 16, 32, 64], max_work_group_size = 8192,
    local_memory_bytes = 262144, f64 = true, vector_bytes = 32>} {

// Sixteen rows are two registers: two blocks of them and two columns, in four steps.
// CHECK-LABEL: gpu.func @cube32
//  CHECK-SAME:   tinytc.subgroup_size = 16
//       CHECK:   :4 = scf.for %{{.*}} = %c0 to %c32 step %c4
tinytc.func @cube32(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                    %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// Eight rows of f64 are two registers. Tiles of twelve would need all of them.
// CHECK-LABEL: gpu.func @cube32_f64
//  CHECK-SAME:   tinytc.subgroup_size = 8
//       CHECK:   :4 = scf.for %{{.*}} = %c0 to %c32 step %c4
tinytc.func @cube32_f64(%a: !tinytc.memref<32x32xf64>, %b: !tinytc.memref<32x32xf64>,
                        %c: !tinytc.memref<32x32xf64>) {
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f64, !tinytc.memref<32x32xf64>, !tinytc.memref<32x32xf64>, f64,
      !tinytc.memref<32x32xf64>
}

// Nine steps need no loop. The last rows reach back, so all are written.
// CHECK-LABEL: gpu.func @short
//       CHECK:   scf.for
//   CHECK-NOT:   scf.for
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

// Of local memory, where A is transposed to, the driver loads much ahead.
// CHECK-LABEL: gpu.func @local
//       CHECK:   gpu.barrier
//       CHECK:   :8 = scf.for %{{.*}} = %c0 to %c32 step %c2 iter_args
tinytc.func @local(%a: !tinytc.memref<32x32xf64>, %b: !tinytc.memref<32x32xf64>,
                   %c: !tinytc.memref<32x32xf64>) {
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  tinytc.gemm t n %one, %a, %b, %zero, %c
    : f64, !tinytc.memref<32x32xf64>, !tinytc.memref<32x32xf64>, f64,
      !tinytc.memref<32x32xf64>
}
}
