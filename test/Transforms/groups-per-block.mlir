// RUN: tinytc-opt %s --prepare="target=cuda:sm_90 abi=packed" | FileCheck %s
// RUN: tinytc-opt %s --prepare=target=cuda:sm_90 | FileCheck %s --check-prefix=PLAIN

// Where groups are parts of warps, the manifest says how many of them form a block, and
// the kernel stays that of one group.

// 256 bytes of a group are few: four warps of them form a block.
// CHECK-LABEL: tinytc.func @few_bytes(
//  CHECK-SAME:   %{{[^,]*}}: !tinytc.memref<32x?xf32>)
//   CHECK-NOT:   schedule
//       CHECK:   groups_per_work_group = 1, groups_of_block = 4
//   CHECK-NOT:   tinytc.for
// PLAIN-LABEL: tinytc.func @few_bytes
//   PLAIN-NOT:   groups_of_block
tinytc.func @few_bytes(%A: !tinytc.memref<32x?xf32>) {
  %one = tinytc.constant 1.0 : f32
  %id = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:32, %id] : !tinytc.memref<32x?xf32> -> !tinytc.memref<32xf32>
  tinytc.axpby n %one, %a, %one, %a
    : f32, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
  tinytc.barrier
}

// CHECK-LABEL: tinytc.func @many_bytes(
//   CHECK-NOT:   groups_of_block
tinytc.func @many_bytes(%A: !tinytc.memref<32x256x?xf32>) {
  %one = tinytc.constant 1.0 : f32
  %id = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:32, 0:256, %id]
    : !tinytc.memref<32x256x?xf32> -> !tinytc.memref<32x256xf32>
  tinytc.axpby n %one, %a, %one, %a
    : f32, !tinytc.memref<32x256xf32>, f32, !tinytc.memref<32x256xf32>
}

// A warp is filled even then.
// CHECK-LABEL: tinytc.func @half_a_warp(
//       CHECK:   groups_of_block = 2
tinytc.func @half_a_warp(%A: !tinytc.memref<32x256x?xf32>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  %one = tinytc.constant 1.0 : f32
  %id = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:32, 0:256, %id]
    : !tinytc.memref<32x256x?xf32> -> !tinytc.memref<32x256xf32>
  tinytc.axpby n %one, %a, %one, %a
    : f32, !tinytc.memref<32x256xf32>, f32, !tinytc.memref<32x256xf32>
}

// The schedule decides if it says how many, and keeps its other entries.
// CHECK-LABEL: tinytc.func @given(
//  CHECK-SAME:   schedule = #tinytc.schedule<rows = 2>
//       CHECK:   groups_of_block = 3
// PLAIN-LABEL: tinytc.func @given(
//   PLAIN-NOT:   groups_of_block
tinytc.func @given(%A: !tinytc.memref<32xf32>)
    attributes {schedule = #tinytc.schedule<rows = 2, groups = 3>} {}

// CHECK-LABEL: tinytc.func @one(
//   CHECK-NOT:   groups_of_block
tinytc.func @one(%A: !tinytc.memref<32xf32>)
    attributes {schedule = #tinytc.schedule<groups = 1>} {}

// Groups of two warps, and those with more local memory than a block may declare, run one
// after the other.
// CHECK-LABEL: tinytc.func @two_warps(
//  CHECK-SAME:   %{{[^:]*}}: index)
//   CHECK-NOT:   groups_of_block
//       CHECK:   tinytc.for
tinytc.func @two_warps(%A: !tinytc.memref<32xf32>)
    attributes {work_group_size = array<i32: 64, 1>,
                schedule = #tinytc.schedule<groups = 2>} {}
// CHECK-LABEL: tinytc.func @local(
//   CHECK-NOT:   groups_of_block
//       CHECK:   tinytc.for
tinytc.func @local(%A: !tinytc.memref<f64>)
    attributes {schedule = #tinytc.schedule<groups = 4>} {
  %a = tinytc.alloca : !tinytc.memref<2000xf64, local>
}
