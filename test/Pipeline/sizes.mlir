// RUN: tinytc-opt %s --lower-to-spirv | FileCheck %s

// Each kernel of a module keeps its own sizes.

// CHECK-DAG: spirv.ExecutionMode @first "LocalSize", 8, 4, 1
// CHECK-DAG: spirv.ExecutionMode @first "SubgroupSize", 8
// CHECK-DAG: spirv.ExecutionMode @second "LocalSize", 32, 1, 1
// CHECK-DAG: spirv.ExecutionMode @second "SubgroupSize", 32
tinytc.func @first() attributes {subgroup_size = 8 : i32,
                                 work_group_size = array<i32: 8, 4>} {
  tinytc.yield
}
tinytc.func @second() attributes {subgroup_size = 32 : i32} {
  tinytc.yield
}
