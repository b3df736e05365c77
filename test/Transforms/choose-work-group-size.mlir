// RUN: tinytc-opt %s --tinytc-attach-target=target=cpu \
// RUN:   --tinytc-choose-work-group-size | FileCheck %s
// RUN: tinytc-opt %s --tinytc-attach-target=target=intel-gpu:pvc \
// RUN:   --tinytc-choose-work-group-size | FileCheck %s --check-prefix=PVC

// CHECK-LABEL: @chooses_both
//  CHECK-SAME:   subgroup_size = 16 : i32
//  CHECK-SAME:   work_group_size = array<i32: 16, 1>
//         PVC: @chooses_both
//    PVC-SAME:   work_group_size = array<i32: 16, 1>
tinytc.func @chooses_both() {
  tinytc.yield
}

// Enough subgroups for the rows on a GPU, one on the CPU.
// CHECK-LABEL: @many_rows
//  CHECK-SAME:   work_group_size = array<i32: 16, 1>
//         PVC: @many_rows
//    PVC-SAME:   work_group_size = array<i32: 64, 1>
tinytc.func @many_rows(%alpha: f32, %a: !tinytc.memref<60x3xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %a
    : f32, !tinytc.memref<60x3xf32>, f32, !tinytc.memref<60x3xf32>
}

// CHECK-LABEL: @negative_keeps_both
//  CHECK-SAME:   subgroup_size = 32 : i32
//  CHECK-SAME:   work_group_size = array<i32: 64, 2>
tinytc.func @negative_keeps_both()
    attributes {subgroup_size = 32 : i32, work_group_size = array<i32: 64, 2>} {
  tinytc.yield
}

// CHECK-LABEL: @work_group_of_the_subgroup
//  CHECK-SAME:   subgroup_size = 32 : i32
//  CHECK-SAME:   work_group_size = array<i32: 32, 1>
tinytc.func @work_group_of_the_subgroup() attributes {subgroup_size = 32 : i32} {
  tinytc.yield
}

// CHECK-LABEL: @subgroup_of_the_work_group
//  CHECK-SAME:   subgroup_size = 16 : i32
//  CHECK-SAME:   work_group_size = array<i32: 48, 1>
tinytc.func @subgroup_of_the_work_group()
    attributes {work_group_size = array<i32: 48, 1>} {
  tinytc.yield
}
