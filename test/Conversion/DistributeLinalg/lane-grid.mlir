// RUN: tinytc-opt %s --lower-to-gpu="target=cuda:sm_90 abi=packed" | FileCheck %s

// 8 lanes side by side with those of other groups are a grid of 4 x 2 over 20 x 9: each has
// 5 x 5 sums.
// CHECK-LABEL: gpu.func @grid
//  CHECK-SAME:   known_block_size = array<i32: 8, 1, 1>
//   CHECK-DAG:   %[[ROWS:.*]] = arith.constant 4 : index
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   arith.remui %[[LANE]], %[[ROWS]]
//       CHECK:   arith.divui %[[LANE]], %[[ROWS]]
// CHECK-COUNT-25: math.fma
tinytc.func @grid(%A: !tinytc.memref<20x9x?xf32>, %B: !tinytc.memref<9x9x?xf32>,
                  %C: !tinytc.memref<20x9x?xf32>)
    attributes {subgroup_size = 8 : i32, work_group_size = array<i32: 8, 1>} {
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  %id = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:20, 0:9, %id]
    : !tinytc.memref<20x9x?xf32> -> !tinytc.memref<20x9xf32>
  %b = tinytc.subview %B[0:9, 0:9, %id]
    : !tinytc.memref<9x9x?xf32> -> !tinytc.memref<9x9xf32>
  %c = tinytc.subview %C[0:20, 0:9, %id]
    : !tinytc.memref<20x9x?xf32> -> !tinytc.memref<20x9xf32>
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<20x9xf32>, !tinytc.memref<9x9xf32>, f32, !tinytc.memref<20x9xf32>
}

// Rows of a schedule lie a work-group width apart.
// CHECK-LABEL: gpu.func @given
//   CHECK-NOT:   arith.remui
tinytc.func @given(%A: !tinytc.memref<20x9xf32>, %B: !tinytc.memref<9x9xf32>,
                   %C: !tinytc.memref<20x9xf32>)
    attributes {subgroup_size = 8 : i32, work_group_size = array<i32: 8, 1>,
                schedule = #tinytc.schedule<rows = 2>} {
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %A, %B, %zero, %C
    : f32, !tinytc.memref<20x9xf32>, !tinytc.memref<9x9xf32>, f32, !tinytc.memref<20x9xf32>
}
