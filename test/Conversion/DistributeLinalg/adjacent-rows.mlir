// RUN: tinytc-opt %s --lower-to-gpu=target=cuda:sm_90 | FileCheck %s
// RUN: tinytc-opt %s --lower-to-gpu=target=intel-gpu:pvc | FileCheck %s --check-prefix=INTEL

// On GPUs of NVIDIA, a lane has adjacent rows, which are one load where the address is
// aligned: lane i has row 4 i and the three after it.
// CHECK-LABEL: gpu.func @adjacent
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   arith.muli %[[LANE]], %c4
//       CHECK:   scf.for
//       CHECK:   math.fma
tinytc.func @adjacent(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                      %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32, !tinytc.memref<32x32xf32>
}

// Columns that do not begin at a multiple of a load: rows lie the lanes apart.
// CHECK-LABEL: gpu.func @negative_stride
//   CHECK-NOT:   arith.muli %{{.*}}, %c4
//       CHECK:   math.fma
tinytc.func @negative_stride(
    %a: !tinytc.memref<32x32xf32, strided<1, 33>>, %b: !tinytc.memref<32x32xf32>,
    %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32, strided<1, 33>>, !tinytc.memref<32x32xf32>, f32, !tinytc.memref<32x32xf32>
}

// On GPUs of Intel, loads need no alignment. What is left of C is read under one condition
// for all rows of a column.
// INTEL-LABEL: gpu.func @any_stride
//       INTEL:   %[[LANE:.*]] = gpu.lane_id
//       INTEL:   arith.muli %[[LANE]], %c2
//       INTEL:   %[[OLD:.*]]:2 = scf.if %{{.*}} -> (f32, f32)
//       INTEL:   memref.store
//  INTEL-NEXT:   memref.store
tinytc.func @any_stride(%beta: f32, %a: !tinytc.memref<32x8xf32, strided<1, 33>>,
                        %b: !tinytc.memref<8xf32>, %c: !tinytc.memref<32xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemv n %one, %a, %b, %beta, %c
    : f32, !tinytc.memref<32x8xf32, strided<1, 33>>, !tinytc.memref<8xf32>, f32, !tinytc.memref<32xf32>
}
