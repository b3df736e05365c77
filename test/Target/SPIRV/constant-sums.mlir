// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv | FileCheck %s

// The driver must not know that a sum of 64 bits is one of constants.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [4], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @constant
  //       CHECK:   %[[HIDDEN:.*]] = spirv.GroupBroadcast <Subgroup>
  //       CHECK:   spirv.GroupIAdd <Subgroup> <Reduce> %[[HIDDEN]] : i64
  gpu.func @constant(%a: memref<?xi64>) kernel attributes {tinytc.subgroup_size = 4 : i32} {
    %three = arith.constant 3 : i64
    %lane = gpu.lane_id
    %sum = gpu.subgroup_reduce add %three uniform : (i64) -> i64
    memref.store %sum, %a[%lane] : memref<?xi64>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @choice
  //       CHECK:   spirv.GroupBroadcast
  //       CHECK:   spirv.GroupIAdd
  gpu.func @choice(%a: memref<?xi64>) kernel attributes {tinytc.subgroup_size = 4 : i32} {
    %three = arith.constant 3 : i64
    %four = arith.constant 4 : i64
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %ten = arith.constant 10 : index
    %last = scf.for %i = %zero to %ten step %one iter_args(%x = %three) -> (i64) {
      %is_small = arith.cmpi slt, %x, %four : i64
      %y = scf.if %is_small -> (i64) {
        scf.yield %four : i64
      } else {
        scf.yield %three : i64
      }
      scf.yield %y : i64
    }
    %lane = gpu.lane_id
    %sum = gpu.subgroup_reduce add %last uniform : (i64) -> i64
    memref.store %sum, %a[%lane] : memref<?xi64>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @others
  //   CHECK-NOT:   spirv.GroupBroadcast
  //       CHECK:   spirv.Return
  gpu.func @others(%a: memref<?xi64>, %b: memref<?xi32>, %n: i64)
      kernel attributes {tinytc.subgroup_size = 4 : i32} {
    %three = arith.constant 3 : i64
    %narrow = arith.constant 3 : i32
    %lane = gpu.lane_id
    %x = memref.load %a[%lane] : memref<?xi64>
    %0 = gpu.subgroup_reduce add %x uniform : (i64) -> i64
    %1 = gpu.subgroup_reduce add %n uniform : (i64) -> i64
    %2 = gpu.subgroup_reduce maxsi %three uniform : (i64) -> i64
    %3 = gpu.subgroup_reduce add %narrow uniform : (i32) -> i32
    %4 = arith.addi %0, %1 : i64
    %5 = arith.addi %4, %2 : i64
    memref.store %5, %a[%lane] : memref<?xi64>
    memref.store %3, %b[%lane] : memref<?xi32>
    gpu.return
  }
}
}
