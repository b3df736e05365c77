// RUN: tinytc-opt %s --tinytc-attach-target=target=cuda:sm_90 \
// RUN:   --tinytc-choose-work-group-size | FileCheck %s

// A warp is 8 lanes of rows by 4 of columns, and each computes 4 x 8 sums.
// CHECK-LABEL: @spread_over_columns
//  CHECK-SAME:   subgroup_size = 8 : i32
//  CHECK-SAME:   work_group_size = array<i32: 8, 4>
tinytc.func @spread_over_columns(%alpha: f32, %a: !tinytc.memref<32x32xf32>, %c: !tinytc.memref<32x32xf32>) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32, !tinytc.memref<32x32xf32>
}

// CHECK-LABEL: @negative_no_product
//  CHECK-SAME:   work_group_size = array<i32: 32, 1>
tinytc.func @negative_no_product(%alpha: f32, %a: !tinytc.memref<32xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %a
    : f32, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
}

// CHECK-LABEL: @negative_given
//  CHECK-SAME:   subgroup_size = 32 : i32
//  CHECK-SAME:   work_group_size = array<i32: 32, 1>
tinytc.func @negative_given(%alpha: f32, %a: !tinytc.memref<32x32xf32>, %c: !tinytc.memref<32x32xf32>)
    attributes {subgroup_size = 32 : i32, work_group_size = array<i32: 32, 1>} {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32, !tinytc.memref<32x32xf32>
}
