// RUN: tinytc-opt %s --prepare="target=cuda:sm_90 abi=packed" | FileCheck %s
// RUN: tinytc-opt %s --prepare=target=cuda:sm_90 | FileCheck %s --check-prefix=PLAIN

// Where groups are parts of warps, the manifest says how many of them form a block, and
// the kernel stays that of one group.

//       CHECK: #[[$FEW_BYTES:[a-z0-9]+]] = {{.*}}"few_bytes",{{.*}} groups_per_work_group = 1, groups_of_block = 4,
//       CHECK: #[[$MANY_BYTES:[a-z0-9]+]] = {{.*}}"many_bytes",{{.*}} groups_per_work_group = 1, bounds
//       CHECK: #[[$HALF_A_WARP:[a-z0-9]+]] = {{.*}}"half_a_warp",{{.*}} groups_of_block = 2,
//       CHECK: #[[$GIVEN:[a-z0-9]+]] = {{.*}}"given",{{.*}} groups_of_block = 3,
//       CHECK: #[[$ONE:[a-z0-9]+]] = {{.*}}"one",{{.*}} groups_per_work_group = 1, bounds
//       CHECK: #[[$TWO_WARPS:[a-z0-9]+]] = {{.*}}"two_warps",{{.*}} groups_per_work_group = 2, bounds
//       CHECK: #[[$LOCAL:[a-z0-9]+]] = {{.*}}"local",{{.*}} groups_per_work_group = 4, bounds
//   PLAIN-NOT: groups_of_block

// 256 bytes of a group are few: four warps of them form a block.
// CHECK-LABEL: tinytc.func @few_bytes(
//  CHECK-SAME:   %{{[^,]*}}: !tinytc.memref<32x?xf32>)
//   CHECK-NOT:   schedule
//       CHECK:   tinytc.manifest = #[[$FEW_BYTES]],
//   CHECK-NOT:   tinytc.for
tinytc.func @few_bytes(%A: !tinytc.memref<32x?xf32>) {
  %one = tinytc.constant 1.0 : f32
  %id = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:32, %id] : !tinytc.memref<32x?xf32> -> !tinytc.memref<32xf32>
  tinytc.axpby n %one, %a, %one, %a
    : f32, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
  tinytc.barrier
}

// CHECK-LABEL: tinytc.func @many_bytes(
//       CHECK:   tinytc.manifest = #[[$MANY_BYTES]],
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
//       CHECK:   tinytc.manifest = #[[$HALF_A_WARP]],
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
//       CHECK:   tinytc.manifest = #[[$GIVEN]],
tinytc.func @given(%A: !tinytc.memref<32xf32>)
    attributes {schedule = #tinytc.schedule<rows = 2, groups = 3>} {}

// CHECK-LABEL: tinytc.func @one(
//       CHECK:   tinytc.manifest = #[[$ONE]],
tinytc.func @one(%A: !tinytc.memref<32xf32>)
    attributes {schedule = #tinytc.schedule<groups = 1>} {}

// Groups of two warps, and those with more local memory than a block may declare, run one
// after the other.
// CHECK-LABEL: tinytc.func @two_warps(
//  CHECK-SAME:   %{{[^:]*}}: index)
//       CHECK:   tinytc.manifest = #[[$TWO_WARPS]],
//       CHECK:   tinytc.for
tinytc.func @two_warps(%A: !tinytc.memref<32xf32>)
    attributes {work_group_size = array<i32: 64, 1>,
                schedule = #tinytc.schedule<groups = 2>} {}
// CHECK-LABEL: tinytc.func @local(
//       CHECK:   tinytc.manifest = #[[$LOCAL]],
//       CHECK:   tinytc.for
tinytc.func @local(%A: !tinytc.memref<f64>)
    attributes {schedule = #tinytc.schedule<groups = 4>} {
  %a = tinytc.alloca : !tinytc.memref<2000xf64, local>
}
