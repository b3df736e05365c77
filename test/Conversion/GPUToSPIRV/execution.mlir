// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv --canonicalize \
// RUN:   | FileCheck %s

// Barriers, shuffles, native functions, builtins, entry points.

module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:pvc", family = intel_gpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
//       CHECK: spirv.func @_Z10native_expf(f32) -> f32
//  CHECK-SAME:   linkage_name = "_Z10native_expf", linkage_type = <Import>
//   CHECK-NOT: spirv.func @_Z10native_expf
gpu.module @kernels {

  // CHECK-LABEL: @barriers
  //       CHECK:   spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory|CrossWorkgroupMemory>
  //  CHECK-NEXT:   spirv.ControlBarrier <Workgroup>, <Workgroup>, <None>
  //  CHECK-NEXT:   spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|CrossWorkgroupMemory>
  //  CHECK-NEXT:   spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory>
  //  CHECK-NEXT:   spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory|CrossWorkgroupMemory>
  gpu.func @barriers() kernel attributes {tinytc.subgroup_size = 16 : i32} {
    gpu.barrier
    gpu.barrier {tinytc.fences = []}
    gpu.barrier {tinytc.fences = [#tinytc<address_space global>]}
    gpu.barrier {tinytc.fences = [#tinytc<address_space local>]}
    gpu.barrier {tinytc.fences = [#tinytc<address_space global>,
                                  #tinytc<address_space local>]}
    gpu.return
  }

  // A subgroup that is the whole work-group waits for nobody else.
  // CHECK-LABEL: @barrier_of_one_subgroup
  //       CHECK:   spirv.ControlBarrier <Subgroup>, <Subgroup>, <SequentiallyConsistent|WorkgroupMemory>
  gpu.func @barrier_of_one_subgroup() kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
    gpu.barrier {tinytc.fences = [#tinytc<address_space local>]}
    gpu.return
  }

  // CHECK-LABEL: @barrier_of_two_subgroups
  //       CHECK:   spirv.ControlBarrier <Workgroup>, <Workgroup>, <SequentiallyConsistent|WorkgroupMemory>
  gpu.func @barrier_of_two_subgroups() kernel
      attributes {known_block_size = array<i32: 16, 2, 1>, tinytc.subgroup_size = 16 : i32} {
    gpu.barrier {tinytc.fences = [#tinytc<address_space local>]}
    gpu.return
  }

  // CHECK-LABEL: @broadcast
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[LANE:[^:]*]]: i32,
  //       CHECK:   spirv.GroupBroadcast <Subgroup> %[[X]], %[[LANE]] : f32, i32
  gpu.func @broadcast(%x: f32, %lane: i32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = gpu.subgroup_broadcast %x, specific_lane %lane : f32
    memref.store %0, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // The index of a shuffle may differ from lane to lane, which a broadcast does not allow.
  // CHECK-LABEL: @shuffle_by_index
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[N:[^:]*]]: i32,
  //   CHECK-NOT:   spirv.GroupBroadcast
  //       CHECK:   spirv.GroupNonUniformShuffle <Subgroup> %[[X]], %[[N]]
  gpu.func @shuffle_by_index(%x: f32, %n: i32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %width = arith.constant 16 : i32
    %0, %v0 = gpu.shuffle idx %x, %n, %width : f32
    memref.store %0, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // Work-items at the end keep their own value.
  // CHECK-LABEL: @shuffle_up
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[N:[^:]*]]: i32,
  //       CHECK:   %[[BELOW:.*]] = spirv.ISub %[[LANE:.*]], %[[N]] : i32
  //       CHECK:   %[[VALID:.*]] = spirv.ULessThan %[[BELOW]], %cst16_i32
  //       CHECK:   %[[SOURCE:.*]] = spirv.Select %[[VALID]], %[[BELOW]], %[[LANE]]
  //       CHECK:   %[[RESULT:.*]] = spirv.GroupNonUniformShuffle <Subgroup> %[[X]], %[[SOURCE]]
  //       CHECK:   spirv.Select %[[VALID]], %[[RESULT]], %[[X]]
  gpu.func @shuffle_up(%x: f32, %n: i32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %width = arith.constant 16 : i32
    %0, %v0 = gpu.shuffle up %x, %n, %width : f32
    %1 = arith.select %v0, %0, %x : f32
    memref.store %1, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: @shuffle_down
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[N:[^:]*]]: i32,
  //       CHECK:   %[[ABOVE:.*]] = spirv.IAdd %[[LANE:.*]], %[[N]] : i32
  //       CHECK:   %[[VALID:.*]] = spirv.ULessThan %[[ABOVE]], %cst16_i32
  //       CHECK:   %[[SOURCE:.*]] = spirv.Select %[[VALID]], %[[ABOVE]], %[[LANE]]
  //       CHECK:   spirv.GroupNonUniformShuffle <Subgroup> %[[X]], %[[SOURCE]]
  gpu.func @shuffle_down(%x: f32, %n: i32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %width = arith.constant 16 : i32
    %0, %v0 = gpu.shuffle down %x, %n, %width : f32
    memref.store %0, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: @shuffle_by_bits
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[BITS:[^:]*]]: i32,
  //       CHECK:   %[[SOURCE:.*]] = spirv.BitwiseXor %{{.*}}, %[[BITS]] : i32
  //       CHECK:   spirv.GroupNonUniformShuffle <Subgroup> %[[X]], %[[SOURCE]]
  gpu.func @shuffle_by_bits(%x: f32, %bits: i32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %width = arith.constant 16 : i32
    %0, %v0 = gpu.shuffle xor %x, %bits, %width : f32
    memref.store %0, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // Whether there is such a lane is computed where it is used.
  // CHECK-LABEL: @is_valid
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[BITS:[^:]*]]: i32,
  //       CHECK:   %[[OTHER:.*]] = spirv.BitwiseXor %{{.*}}, %[[BITS]] : i32
  //       CHECK:   %[[VALID:.*]] = spirv.ULessThan %[[OTHER]], %cst16_i32
  //       CHECK:   spirv.GroupNonUniformShuffle
  //       CHECK:   spirv.Select %[[VALID]]
  gpu.func @is_valid(%x: f32, %bits: i32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %width = arith.constant 16 : i32
    %0, %v0 = gpu.shuffle xor %x, %bits, %width : f32
    %1 = arith.select %v0, %0, %x : f32
    memref.store %1, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // The bits of numbers, in the order of numbers, and the smallest of these for NaN.
  // CHECK-LABEL: @reduce_numbers
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32
  //       CHECK:   %[[NUMBER:.*]] = spirv.FUnordNotEqual %[[X]], %[[X]] : f32
  //       CHECK:   %[[BITS:.*]] = spirv.Bitcast %[[X]] : f32 to i32
  //       CHECK:   spirv.BitwiseXor %[[BITS]], %{{.*}} : i32
  //       CHECK:   %[[KEY:.*]] = spirv.Select %[[NUMBER]], %{{.*}}, %{{.*}} : i1, i32
  //       CHECK:   spirv.GroupNonUniformSMax <Subgroup> <Reduce> %[[KEY]] : i32
  //       CHECK:   spirv.Bitcast %{{.*}} : i32 to f32
  gpu.func @reduce_numbers(%x: f32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = gpu.subgroup_reduce maxnumf %x : (f32) -> f32
    memref.store %0, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: @reduce
  //       CHECK:   spirv.GroupNonUniformFAdd <Subgroup> <Reduce> %{{.*}} : f32
  //       CHECK:   spirv.GroupNonUniformSMax <Subgroup> <Reduce> %{{.*}} : i32
  gpu.func @reduce(%x: f32, %n: i32, %a: memref<?xf32>, %b: memref<?xi32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = gpu.subgroup_reduce add %x : (f32) -> f32
    memref.store %0, %a[%zero] : memref<?xf32>
    %1 = gpu.subgroup_reduce maxsi %n : (i32) -> i32
    memref.store %1, %b[%zero] : memref<?xi32>
    gpu.return
  }

  // The OpenCL function is imported once, and exists only for f32.
  // CHECK-LABEL: @native_exp
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f64,
  //       CHECK:   %[[E:.*]] = spirv.FunctionCall @_Z10native_expf(%[[X]])
  //       CHECK:   spirv.FunctionCall @_Z10native_expf(%[[E]])
  //       CHECK:   spirv.CL.exp %[[Y]] : f64
  gpu.func @native_exp(%x: f32, %y: f64, %a: memref<?xf32>, %b: memref<?xf64>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.exp %0 fastmath<afn> : f32
    memref.store %1, %a[%zero] : memref<?xf32>
    %2 = math.exp %y fastmath<afn> : f64
    memref.store %2, %b[%zero] : memref<?xf64>
    gpu.return
  }

  // CHECK-LABEL: @entry_point
  //  CHECK-SAME:   ()
  //  CHECK-SAME:   spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 2, 1], subgroup_size = 16>
  gpu.func @entry_point() kernel
      attributes {known_block_size = array<i32: 32, 2, 1>,
                  tinytc.subgroup_size = 16 : i32} {
    gpu.return
  }
}
}
