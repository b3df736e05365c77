// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv --canonicalize \
// RUN:   | FileCheck %s

// Atomic updates: an instruction if there is one, else a compare-and-swap loop.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {

  // The word around the element is swapped if nothing changed it meanwhile.
  // CHECK-LABEL: @add_i8
  //  CHECK-SAME:   (%[[A:[^:]*]]: !spirv.ptr<i8, CrossWorkgroup>, %{{[^:]*}}: i64, %[[X:[^:]*]]: i8)
  //       CHECK:   %[[ADDRESS:.*]] = spirv.ConvertPtrToU
  //       CHECK:   %[[BYTE:.*]] = spirv.BitwiseAnd %[[ADDRESS]], %cst3_i64
  //       CHECK:   %[[OFFSET:.*]] = spirv.ISub %cst0_i64{{.*}}, %[[BYTE]]
  //       CHECK:   %[[BEGIN:.*]] = spirv.PtrAccessChain %{{.*}}[%[[OFFSET]]] : !spirv.ptr<i8, CrossWorkgroup>
  //       CHECK:   %[[WORD:.*]] = spirv.Bitcast %[[BEGIN]] : !spirv.ptr<i8, CrossWorkgroup> to !spirv.ptr<i32, CrossWorkgroup>
  //       CHECK:   spirv.Load "CrossWorkgroup" %[[WORD]] ["Volatile|Aligned", 4] : i32
  //       CHECK:   spirv.mlir.loop
  //       CHECK:   spirv.IAdd %{{.*}}, %[[X]] : i8
  //       CHECK:   spirv.AtomicCompareExchange <Device> <None> <None> %[[WORD]]
  gpu.func @add_i8(%a: memref<?xi8>, %i: index, %x: i8) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = memref.atomic_rmw addi %x, %a[%i] : (i8, memref<?xi8>) -> i8
    gpu.return
  }

  // CHECK-LABEL: @add_i32
  //       CHECK:   spirv.AtomicIAdd <Device> <None> %{{.*}} : !spirv.ptr<i32, CrossWorkgroup>
  gpu.func @add_i32(%a: memref<?xi32>, %i: index, %x: i32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = memref.atomic_rmw addi %x, %a[%i] : (i32, memref<?xi32>) -> i32
    gpu.return
  }

  // CHECK-LABEL: @add_f16
  //       CHECK:   spirv.FAdd %{{.*}} : f16
  //       CHECK:   spirv.AtomicCompareExchange <Device> <None> <None> %{{.*}} : !spirv.ptr<i32, CrossWorkgroup>
  gpu.func @add_f16(%a: memref<?xf16>, %i: index, %x: f16) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = memref.atomic_rmw addf %x, %a[%i] : (f16, memref<?xf16>) -> f16
    gpu.return
  }

  // CHECK-LABEL: @add_f32
  //       CHECK:   spirv.EXT.AtomicFAdd <Device> <None> %{{.*}} : !spirv.ptr<f32, CrossWorkgroup>
  gpu.func @add_f32(%a: memref<?xf32>, %i: index, %x: f32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<?xf32>) -> f32
    gpu.return
  }

  // Narrow stores do not tear, and have no atomic exchange.
  // CHECK-LABEL: @store_i8
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}} ["Volatile|Aligned", 1] : i8
  gpu.func @store_i8(%a: memref<?xi8>, %i: index, %x: i8) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = memref.atomic_rmw assign %x, %a[%i] : (i8, memref<?xi8>) -> i8
    gpu.return
  }

  // The old value of a sum of words can be used.
  // CHECK-LABEL: @result_of_add
  //       CHECK:   %[[OLD:.*]] = spirv.AtomicIAdd <Device> <None>
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[OLD]]
  gpu.func @result_of_add(%a: memref<?xi64>, %i: index, %j: index, %x: i64) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = memref.atomic_rmw addi %x, %a[%i] : (i64, memref<?xi64>) -> i64
    memref.store %0, %a[%j] : memref<?xi64>
    gpu.return
  }

}
}
