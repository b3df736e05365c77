// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv --canonicalize | FileCheck %s

// Scope and semantics of atomic accesses, and what each kind becomes.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {

  // CHECK-LABEL: @scopes
  //       CHECK:   spirv.AtomicIAdd <CrossDevice> <None>
  //       CHECK:   spirv.AtomicIAdd <Device> <None>
  //       CHECK:   spirv.AtomicIAdd <Workgroup> <None>
  //       CHECK:   spirv.AtomicIAdd <Subgroup> <None>
  gpu.func @scopes(%a: memref<?xi32>, %i: index, %x: i32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = tinytc.atomic add cross_device relaxed %a[%i], %x : memref<?xi32>, i32 -> i32
    %1 = tinytc.atomic add device relaxed %a[%i], %x : memref<?xi32>, i32 -> i32
    %2 = tinytc.atomic add work_group relaxed %a[%i], %x : memref<?xi32>, i32 -> i32
    %3 = tinytc.atomic add subgroup relaxed %a[%i], %x : memref<?xi32>, i32 -> i32
    gpu.return
  }

  // Both address spaces are ordered.
  // CHECK-LABEL: @semantics
  //       CHECK:   spirv.AtomicIAdd <Device> <Acquire|WorkgroupMemory|CrossWorkgroupMemory>
  //       CHECK:   spirv.AtomicIAdd <Device> <Release|WorkgroupMemory|CrossWorkgroupMemory>
  //       CHECK:   spirv.AtomicIAdd <Device> <AcquireRelease|WorkgroupMemory|CrossWorkgroupMemory>
  //       CHECK:   spirv.AtomicIAdd <Device> <SequentiallyConsistent|WorkgroupMemory|CrossWorkgroupMemory>
  gpu.func @semantics(%a: memref<?xi32>, %i: index, %x: i32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = tinytc.atomic add device acquire %a[%i], %x : memref<?xi32>, i32 -> i32
    %1 = tinytc.atomic add device release %a[%i], %x : memref<?xi32>, i32 -> i32
    %2 = tinytc.atomic add device acquire_release %a[%i], %x : memref<?xi32>, i32 -> i32
    %3 = tinytc.atomic add device sequentially_consistent %a[%i], %x
      : memref<?xi32>, i32 -> i32
    gpu.return
  }

  // A load is an update that changes nothing.
  // CHECK-LABEL: @loads
  //  CHECK-SAME:   (%[[A:[^:]*]]: !spirv.ptr<f64, CrossWorkgroup>, %[[B:[^:]*]]: !spirv.ptr<i8, CrossWorkgroup>
  //       CHECK:   %[[P:.*]] = spirv.Bitcast %{{.*}} : !spirv.ptr<f64, CrossWorkgroup> to !spirv.ptr<i64, CrossWorkgroup>
  //       CHECK:   %[[BITS:.*]] = spirv.AtomicOr <Device> <Acquire|WorkgroupMemory|CrossWorkgroupMemory> %[[P]], %cst0_i64 : !spirv.ptr<i64, CrossWorkgroup>
  //       CHECK:   %[[X:.*]] = spirv.Bitcast %[[BITS]] : i64 to f64
  //       CHECK:   %[[BYTE:.*]] = spirv.BitwiseAnd %{{.*}}, %cst3_i64
  //       CHECK:   %[[OFFSET:.*]] = spirv.ISub %cst0_i64{{.*}}, %[[BYTE]]
  //       CHECK:   %[[BEGIN:.*]] = spirv.PtrAccessChain %{{.*}}[%[[OFFSET]]] : !spirv.ptr<i8, CrossWorkgroup>
  //       CHECK:   %[[WORD:.*]] = spirv.Bitcast %[[BEGIN]] : !spirv.ptr<i8, CrossWorkgroup> to !spirv.ptr<i32, CrossWorkgroup>
  //       CHECK:   %[[OLD:.*]] = spirv.AtomicOr <Workgroup> <None> %[[WORD]], %cst0_i32
  //       CHECK:   %[[SHIFTED:.*]] = spirv.ShiftRightLogical %[[OLD]]
  //       CHECK:   spirv.SConvert %[[SHIFTED]] : i32 to i8
  gpu.func @loads(%a: memref<?xf64>, %b: memref<?xi8>, %i: index, %j: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = tinytc.atomic load device acquire %a[%i] : memref<?xf64> -> f64
    memref.store %0, %a[%j] : memref<?xf64>
    %1 = tinytc.atomic load work_group relaxed %b[%i] : memref<?xi8> -> i8
    memref.store %1, %b[%j] : memref<?xi8>
    gpu.return
  }

  // A narrow store orders others only as a compare-and-swap.
  // CHECK-LABEL: @stores
  //       CHECK:   spirv.AtomicExchange <Device> <Release|WorkgroupMemory|CrossWorkgroupMemory> %{{.*}} : !spirv.ptr<i32, CrossWorkgroup>
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}} ["Volatile|Aligned", 1] : i8
  //       CHECK:   spirv.AtomicCompareExchange <Workgroup> <Release|WorkgroupMemory|CrossWorkgroupMemory> <None>
  gpu.func @stores(%a: memref<?xf32>, %b: memref<?xi8>, %i: index, %x: f32, %y: i8) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    tinytc.atomic store device release %a[%i], %x : memref<?xf32>, f32
    tinytc.atomic store work_group relaxed %b[%i], %y : memref<?xi8>, i8
    tinytc.atomic store work_group release %b[%i], %y : memref<?xi8>, i8
    gpu.return
  }

  // CHECK-LABEL: @extrema
  //       CHECK:   spirv.AtomicSMin <Workgroup> <None> %{{.*}} : !spirv.ptr<i32, CrossWorkgroup>
  //       CHECK:   spirv.AtomicSMax <Workgroup> <None> %{{.*}} : !spirv.ptr<i64, CrossWorkgroup>
  //       CHECK:   spirv.CL.fmin %{{.*}} : f32
  //       CHECK:   spirv.AtomicCompareExchange <Workgroup> <None> <None> %{{.*}} : !spirv.ptr<i32, CrossWorkgroup>
  gpu.func @extrema(%a: memref<?xi32>, %b: memref<?xi64>, %c: memref<?xf32>, %i: index,
                    %x: i32, %y: i64, %z: f32) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = tinytc.atomic min work_group relaxed %a[%i], %x : memref<?xi32>, i32 -> i32
    %1 = tinytc.atomic max work_group relaxed %b[%i], %y : memref<?xi64>, i64 -> i64
    %2 = tinytc.atomic min work_group relaxed %c[%i], %z : memref<?xf32>, f32 -> f32
    gpu.return
  }

  // The sum of the values whose bits are in memory, rounded to even.
  // CHECK-LABEL: @bf16
  //  CHECK-SAME:   (%[[A:[^:]*]]: !spirv.ptr<i16, CrossWorkgroup>, %{{[^:]*}}: i64, %[[X:[^:]*]]: i16)
  //       CHECK:   spirv.mlir.loop
  //       CHECK:   spirv.FAdd %{{.*}} : f32
  //       CHECK:   spirv.AtomicCompareExchange <Subgroup> <None> <None>
  gpu.func @bf16(%a: memref<?xi16>, %i: index, %bits: i16) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %x = arith.bitcast %bits : i16 to bf16
    %0 = tinytc.atomic add subgroup relaxed %a[%i], %x : memref<?xi16>, bf16 -> bf16
    gpu.return
  }

  // What a loop of compare-and-swaps replaced is the result.
  // CHECK-LABEL: @result_of_a_loop
  //       CHECK:   spirv.mlir.loop
  //       CHECK:   spirv.AtomicCompareExchange
  //       CHECK:   spirv.mlir.merge
  //       CHECK:   spirv.SConvert %{{.*}} : i32 to i16
  //       CHECK:   spirv.Store "CrossWorkgroup"
  gpu.func @result_of_a_loop(%a: memref<?xi16>, %i: index, %j: index, %x: i16) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = tinytc.atomic max device relaxed %a[%i], %x : memref<?xi16>, i16 -> i16
    memref.store %0, %a[%j] : memref<?xi16>
    gpu.return
  }

}
}
