// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv --mlir-print-debuginfo \
// RUN:   | FileCheck %s

// Requests to unroll a loop reach the driver; the locations that carry them are as before.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
// CHECK-NOT: fused
gpu.module @kernels {
  // CHECK-LABEL: @requests
  //       CHECK:   spirv.mlir.loop control(Unroll) {
  //       CHECK:   spirv.mlir.loop control(DontUnroll) {
  //       CHECK:   spirv.mlir.loop {
  gpu.func @requests(%n: i32) kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = scf.while (%i = %c0) : (i32) -> i32 {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c1 : i32
      scf.yield %next : i32
    } attributes {tinytc.unroll = true}
    %1 = scf.while (%i = %c0) : (i32) -> i32 {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c1 : i32
      scf.yield %next : i32
    } attributes {tinytc.unroll = false}
    %2 = scf.while (%i = %c0) : (i32) -> i32 {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c1 : i32
      scf.yield %next : i32
    }
    gpu.return
  }

  // A loop around a loop is not unrolled.
  // CHECK-LABEL: @nested
  //       CHECK:   spirv.mlir.loop control(DontUnroll) {
  //       CHECK:   spirv.mlir.loop {
  gpu.func @nested(%n: i32) kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = scf.while (%i = %c0) : (i32) -> i32 {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %1 = scf.while (%j = %i) : (i32) -> i32 {
        %more = arith.cmpi slt, %j, %n : i32
        scf.condition(%more) %j : i32
      } do {
      ^bb0(%j: i32):
        %next = arith.addi %j, %c1 : i32
        scf.yield %next : i32
      }
      %next = arith.addi %1, %c1 : i32
      scf.yield %next : i32
    }
    gpu.return
  }
}
}
// CHECK-NOT: fused
