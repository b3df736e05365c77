// RUN: tinytc-opt %s --split-input-file --tinytc-outline-kernels | FileCheck %s

// The module of the kernels gives way to one that has its name; a kernel may have it too.

// CHECK: gpu.module @kernels {
gpu.module @kernels {
}

// CHECK: gpu.module @kernels_0 {
// CHECK:   gpu.func @f()
func.func @f()
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  return
}

// -----

// CHECK: gpu.module @kernels {
// CHECK:   gpu.func @kernels()
func.func @kernels()
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  return
}
