// RUN: tinytc-opt %s --tinytc-attach-target=target=cpu \
// RUN:   --tinytc-choose-work-group-size | FileCheck %s

// Where 16 does not divide the work-group, the largest size that does.
// CHECK-LABEL: @subgroup_divides_the_work_group
//  CHECK-SAME:   subgroup_size = 8 : i32
//  CHECK-SAME:   work_group_size = array<i32: 24, 1>
tinytc.func @subgroup_divides_the_work_group()
    attributes {work_group_size = array<i32: 24, 1>} {
  tinytc.yield
}

// The first tile size is a multiple of the subgroup size.
// CHECK-LABEL: @tiles
//  CHECK-SAME:   subgroup_size = 8 : i32
//  CHECK-SAME:   work_group_size = array<i32: 8, 1>
tinytc.func @tiles(%i: index) {
  tinytc.foreach_tile (%j) = (%i), (%i) as (%m) <= (24) {
  }
}
