// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v4 \
// RUN:   --tinytc-choose-work-group-size --verify-diagnostics | FileCheck %s

// One subgroup is enough for a kernel that cannot tell.
// CHECK-LABEL: @collective(
//  CHECK-SAME:   subgroup_size = 8 : i32
//  CHECK-SAME:   work_group_size = array<i32: 8, 1>
tinytc.func @collective(%x: f32, %a: !tinytc.memref<8x8xf32>)
    attributes {subgroup_size = 8 : i32, work_group_size = array<i32: 32, 2>} {
  tinytc.axpby n %x, %a, %x, %a : f32, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
  tinytc.yield
}

// CHECK-LABEL: @chosen_subgroup_size(
//  CHECK-SAME:   subgroup_size = 16 : i32
//  CHECK-SAME:   work_group_size = array<i32: 16, 1>
tinytc.func @chosen_subgroup_size() attributes {work_group_size = array<i32: 64, 2>} {
  tinytc.yield
}

// Debug builds name the subgroup of an iteration.
// CHECK-LABEL: @negative_foreach(
//  CHECK-SAME:   work_group_size = array<i32: 64, 1>
tinytc.func @negative_foreach(%i: index) attributes {work_group_size = array<i32: 64, 1>} {
  tinytc.foreach (%j) = (%i), (%i) {
  }
  tinytc.yield
}

// CHECK-LABEL: @negative_parallel(
//  CHECK-SAME:   work_group_size = array<i32: 32, 2>
tinytc.func @negative_parallel() attributes {work_group_size = array<i32: 32, 2>} {
  tinytc.parallel {
  }
  tinytc.yield
}

// CHECK-LABEL: @negative_number(
//  CHECK-SAME:   work_group_size = array<i32: 32, 2>
tinytc.func @negative_number() attributes {work_group_size = array<i32: 32, 2>} {
  %n = tinytc.builtin.num_subgroups x : i32
  tinytc.yield
}

// -----

// expected-error @below {{expected the product of 'work_group_size' to be at most 1024 on target 'x86-64-v4', got 512 * 4 = 2048}}
tinytc.func @product() attributes {work_group_size = array<i32: 512, 4>} {
  tinytc.yield
}
