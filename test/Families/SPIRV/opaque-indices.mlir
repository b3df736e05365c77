// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv --canonicalize | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // Two opaque indices stay two, each where it is.
  // CHECK-LABEL: @opaque_indices
  //  CHECK-SAME:   (%[[N:[^:]*]]: i64
  //       CHECK:   %[[FIRST:.*]] = spirv.GroupBroadcast <Subgroup> %[[N]], %{{.*}} : i64, i32
  //       CHECK:   spirv.mlir.loop
  //       CHECK:   %[[SECOND:.*]] = spirv.GroupBroadcast <Subgroup> %[[N]], %{{.*}} : i64, i32
  //       CHECK:   spirv.SLessThan %[[FIRST]], %[[SECOND]]
  gpu.func @opaque_indices(%n: index, %a: memref<?xi1>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %first = tinytc.opaque_index %n : index
    scf.for %i = %zero to %n step %one {
      %second = tinytc.opaque_index %n : index
      %is_below = arith.cmpi slt, %first, %second : index
      memref.store %is_below, %a[%i] : memref<?xi1>
    }
    gpu.return
  }
}
}
