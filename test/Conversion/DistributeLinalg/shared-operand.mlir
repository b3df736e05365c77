// RUN: tinytc-opt %s --lower-to-gpu=target=intel-gpu:pvc | FileCheck %s
// RUN: tinytc-opt %s --lower-to-gpu=target=cpu | FileCheck %s --check-prefix=CPU

// On GPUs of Intel, the lanes load the elements of B for each other. 8 x 8 elements are
// one line: four from each of 16 lanes. Lane i of the rows beyond the end has the last
// row.
// CHECK-LABEL: gpu.func @cube8
//  CHECK-SAME:   tinytc.subgroup_size = 16
//   CHECK-DAG:   %[[LANE:.*]] = gpu.lane_id
//   CHECK-DAG:   %[[IS_INSIDE:.*]] = arith.cmpi slt, %[[LANE]], %c7
//   CHECK-DAG:   arith.select %[[IS_INSIDE]], %[[LANE]], %c7
//   CHECK-NOT:   scf.for
//       CHECK:   %[[B0:.*]] = memref.load %arg1
//       CHECK:   %[[B1:.*]] = memref.load %arg1
//       CHECK:   %[[B2:.*]] = memref.load %arg1
//       CHECK:   %[[B3:.*]] = memref.load %arg1
//       CHECK:   %[[A:.*]] = memref.load %arg0
//       CHECK:   %[[B_0_0:.*]] = gpu.subgroup_broadcast %[[B0]], specific_lane %c0_i32
//       CHECK:   math.fma %[[A]], %[[B_0_0]]
//       CHECK:   gpu.subgroup_broadcast %[[B0]], specific_lane %c2_i32
//   CHECK-NOT:   memref.load %arg1
// CPU-LABEL: gpu.func @cube8
//   CPU-NOT:   gpu.subgroup_broadcast
tinytc.func @cube8(%a: !tinytc.memref<8x8xf32>, %b: !tinytc.memref<8x8xf32>,
                   %c: !tinytc.memref<8x8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
}

// A loop over blocks of steps: lanes hold lines of a block.
// CHECK-LABEL: gpu.func @cube32
//  CHECK-SAME:   tinytc.subgroup_size = 32
//       CHECK:   :16 = scf.for %{{.*}} = %c0 to %c32 step %c{{8|16}}
//       CHECK:   gpu.subgroup_broadcast
tinytc.func @cube32(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                    %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// A dynamic number of steps: blocks of eight, then one by one.
// CHECK-LABEL: gpu.func @dynamic
//       CHECK:   scf.for {{.*}} step %c8
//       CHECK:   gpu.subgroup_broadcast
//       CHECK:   scf.for {{.*}} step %c1
//       CHECK:   gpu.subgroup_broadcast
tinytc.func @dynamic(%a: !tinytc.memref<32x?xf32>, %b: !tinytc.memref<?x8xf32>,
                     %c: !tinytc.memref<32x8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<32x?xf32>, !tinytc.memref<?x8xf32>, f32,
      !tinytc.memref<32x8xf32>
}

// Elements of 16 bits are converted once, by the lane that has loaded them.
// CHECK-LABEL: gpu.func @half
//       CHECK:   %[[B:.*]] = memref.load %arg1
//       CHECK:   %[[WORD:.*]] = arith.extf %[[B]] : f16 to f32
//       CHECK:   %[[A:.*]] = memref.load %arg0
//       CHECK:   %[[ROW:.*]] = arith.extf %[[A]] : f16 to f32
//       CHECK:   %[[ELEMENT:.*]] = gpu.subgroup_broadcast %[[WORD]], specific_lane
//       CHECK:   math.fma %[[ROW]], %[[ELEMENT]]
//   CHECK-NOT:   arith.truncf
//       CHECK:   gpu.return
tinytc.func @half(%a: !tinytc.memref<16x4xf16>, %b: !tinytc.memref<4x4xf16>,
                  %c: !tinytc.memref<16x4xf32>) {
  %one = tinytc.constant 1.0 : f16
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f16, !tinytc.memref<16x4xf16>, !tinytc.memref<4x4xf16>, f32,
      !tinytc.memref<16x4xf32>
}

// A transposed A is copied into local memory. If its rows were the same for all tiles of
// columns, the driver would keep them: so there is a loop over the steps.
// CHECK-LABEL: gpu.func @transposed
//       CHECK:   gpu.barrier
//       CHECK:   scf.for
//       CHECK:   scf.for {{.*}} iter_args
//       CHECK:   gpu.subgroup_broadcast
tinytc.func @transposed(%a: !tinytc.memref<35x35xf64>, %b: !tinytc.memref<35x35xf64>,
                        %c: !tinytc.memref<35x35xf64>) {
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  tinytc.gemm t t %one, %a, %b, %zero, %c
    : f64, !tinytc.memref<35x35xf64>, !tinytc.memref<35x35xf64>, f64,
      !tinytc.memref<35x35xf64>
}

// Rows that two lanes sum up are written by one of them: there is no barrier at which
// all elements of C have to be in registers.
// CHECK-LABEL: gpu.func @once
//   CHECK-NOT:   gpu.barrier
//       CHECK:   scf.if
//       CHECK:   memref.store
tinytc.func @once(%a: !tinytc.memref<56x4xf32>, %b: !tinytc.memref<4x9xf32>,
                  %c: !tinytc.memref<56x9xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<56x4xf32>, !tinytc.memref<4x9xf32>, f32,
      !tinytc.memref<56x9xf32>
}

// Integers cross as words, and their sums wrap around as before.
// CHECK-LABEL: gpu.func @short
//       CHECK:   %[[B:.*]] = memref.load %arg1
//       CHECK:   %[[WORD:.*]] = arith.extsi %[[B]] : i16 to i32
//       CHECK:   %[[BROADCAST:.*]] = gpu.subgroup_broadcast %[[WORD]], specific_lane
//       CHECK:   %[[ELEMENT:.*]] = arith.trunci %[[BROADCAST]] : i32 to i16
//       CHECK:   arith.muli %{{.*}}, %[[ELEMENT]] : i16
tinytc.func @short(%a: !tinytc.memref<16x4xi16>, %b: !tinytc.memref<4x4xi16>,
                   %c: !tinytc.memref<16x4xi16>) {
  %one = tinytc.constant 1 : i16
  %zero = tinytc.constant 0 : i16
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : i16, !tinytc.memref<16x4xi16>, !tinytc.memref<4x4xi16>, i16,
      !tinytc.memref<16x4xi16>
}
