// RUN: tinytc-opt %s --lower-to-linalg=target=cpu --tinytc-choose-strategies | FileCheck %s

// Eight lanes exchange elements.
// CHECK-LABEL: @lane_transpose
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = lane_transpose>
tinytc.func @lane_transpose(%alpha: f32, %a: !tinytc.memref<16x32xf32>, %b: !tinytc.memref<32x16xf32>)
    attributes {work_group_size = array<i32: 8, 1>, subgroup_size = 8 : i32} {
  tinytc.axpby t %alpha, %a, %alpha, %b : f32, !tinytc.memref<16x32xf32>, f32, !tinytc.memref<32x16xf32>
}

// Sixteen lanes do so one by one: each reads its own line instead.
// CHECK-LABEL: @pair_gather
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = pair_gather>
tinytc.func @pair_gather(%alpha: f32, %a: !tinytc.memref<16x32xf32>, %b: !tinytc.memref<32x16xf32>)
    attributes {work_group_size = array<i32: 16, 1>, subgroup_size = 16 : i32} {
  tinytc.axpby t %alpha, %a, %alpha, %b : f32, !tinytc.memref<16x32xf32>, f32, !tinytc.memref<32x16xf32>
}

// What is only copied is transposed in vectors of one work-item.
// CHECK-LABEL: @vector_transpose
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = vector_transpose>
tinytc.func @vector_transpose(%a: !tinytc.memref<16x32xf32>, %b: !tinytc.memref<32x16xf32>)
    attributes {work_group_size = array<i32: 16, 1>, subgroup_size = 16 : i32} {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.axpby t %one, %a, %zero, %b : f32, !tinytc.memref<16x32xf32>, f32, !tinytc.memref<32x16xf32>
}

// CHECK-LABEL: @negative_two_subgroups
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = work_items>
tinytc.func @negative_two_subgroups(%alpha: f32, %a: !tinytc.memref<16x32xf32>, %b: !tinytc.memref<32x16xf32>)
    attributes {work_group_size = array<i32: 16, 2>, subgroup_size = 16 : i32} {
  tinytc.axpby t %alpha, %a, %alpha, %b : f32, !tinytc.memref<16x32xf32>, f32, !tinytc.memref<32x16xf32>
}
