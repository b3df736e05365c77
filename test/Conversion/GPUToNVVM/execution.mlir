// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm --canonicalize | FileCheck %s

// Barriers, masks of subgroups, ids.

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 232448,
    f64 = true>} {
gpu.module @kernels {

  // CHECK-LABEL: llvm.func @barrier_of_one_warp
  //       CHECK:   %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  //       CHECK:   nvvm.bar.warp.sync %[[ALL]] : i32
  gpu.func @barrier_of_one_warp() kernel
      attributes {known_block_size = array<i32: 16, 2, 1>, tinytc.subgroup_size = 16 : i32} {
    gpu.barrier {tinytc.fences = [#tinytc<address_space local>]}
    gpu.return
  }

  // CHECK-LABEL: llvm.func @barrier_of_half_a_warp
  //       CHECK:   %[[LOW:.*]] = llvm.mlir.constant(65535 : i32) : i32
  //       CHECK:   nvvm.bar.warp.sync %[[LOW]] : i32
  gpu.func @barrier_of_half_a_warp() kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
    gpu.barrier
    gpu.return
  }

  // CHECK-LABEL: llvm.func @barrier_of_two_warps
  //       CHECK:   nvvm.barrier0
  gpu.func @barrier_of_two_warps() kernel
      attributes {known_block_size = array<i32: 32, 2, 1>, tinytc.subgroup_size = 32 : i32} {
    gpu.barrier
    gpu.return
  }

  // Halves of a warp that exchange numbers come to barriers by themselves, and have no
  // instruction for sums.
  // CHECK-LABEL: llvm.func @barrier_of_halves
  //   CHECK-NOT:   nvvm.redux
  //       CHECK:   nvvm.shfl.sync bfly
  //   CHECK-NOT:   nvvm.barrier0
  //       CHECK:   llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.all"(%{{.*}}) : (i32) -> ()
  gpu.func @barrier_of_halves(%x: i32, %a: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 32, 2, 1>, tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = gpu.subgroup_reduce add %x : (i32) -> i32
    memref.store %0, %a[%zero] : memref<?xi32>
    gpu.barrier
    gpu.return
  }

  // CHECK-LABEL: llvm.func @barrier_of_whole_warps
  //       CHECK:   nvvm.redux.sync add
  //       CHECK:   nvvm.barrier0
  gpu.func @barrier_of_whole_warps(%x: i32, %a: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 32, 2, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %0 = gpu.subgroup_reduce add %x : (i32) -> i32
    memref.store %0, %a[%zero] : memref<?xi32>
    gpu.barrier
    gpu.return
  }

  // The clamp of a full warp is its last lane; a broadcast asks one lane for all.
  // CHECK-LABEL: llvm.func @broadcast
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[LANE:[^:]*]]: i32,
  //   CHECK-DAG:   %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  //   CHECK-DAG:   %[[CLAMP:.*]] = llvm.mlir.constant(31 : i32) : i32
  //       CHECK:   %[[BITS:.*]] = llvm.bitcast %[[X]] : f32 to i32
  //       CHECK:   nvvm.shfl.sync idx %[[ALL]], %[[BITS]], %[[LANE]], %[[CLAMP]]
  gpu.func @broadcast(%x: f32, %lane: i32, %a: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %0 = gpu.subgroup_broadcast %x, specific_lane %lane : f32
    memref.store %0, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // Two halves of a warp: the mask is that of the own half, the clamp keeps lanes in it,
  // and 64 bits go in two words.
  // CHECK-LABEL: llvm.func @shuffle_in_a_half
  //   CHECK-DAG:   %[[CLAMP:.*]] = llvm.mlir.constant(4127 : i32) : i32
  //   CHECK-DAG:   %[[LANES:.*]] = llvm.mlir.constant(65535 : i32) : i32
  //   CHECK-DAG:   %[[FIRST:.*]] = llvm.mlir.constant(-16 : i32) : i32
  //       CHECK:   %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid
  //       CHECK:   %[[SHIFT:.*]] = llvm.and %[[LANE]], %[[FIRST]]
  //       CHECK:   %[[MASK:.*]] = llvm.shl %[[LANES]], %[[SHIFT]]
  //       CHECK:   nvvm.shfl.sync bfly %[[MASK]], %{{.*}}, %{{.*}}, %[[CLAMP]]
  //       CHECK:   nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %{{.*}}, %[[CLAMP]]
  gpu.func @shuffle_in_a_half(%x: f64, %n: i32, %a: memref<?xf64>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %width = arith.constant 16 : i32
    %0, %v0 = gpu.shuffle xor %x, %n, %width : f64
    memref.store %0, %a[%zero] : memref<?xf64>
    gpu.return
  }

  // From below, lanes stop at the first one of the subgroup.
  // CHECK-LABEL: llvm.func @shuffle_up
  //       CHECK:   %[[CLAMP:.*]] = llvm.mlir.constant(6144 : i32) : i32
  //       CHECK:   nvvm.shfl.sync up %{{.*}}, %{{.*}}, %{{.*}}, %[[CLAMP]]
  //       CHECK:   %[[SOURCE:.*]] = llvm.sub %{{.*}}, %{{.*}} : i32
  //       CHECK:   llvm.icmp "ult" %[[SOURCE]], %{{.*}} : i32
  gpu.func @shuffle_up(%x: i8, %n: i32, %a: memref<?xi8>) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
    %zero = arith.constant 0 : index
    %width = arith.constant 8 : i32
    %0, %valid = gpu.shuffle up %x, %n, %width : i8
    %1 = arith.select %valid, %0, %x : i8
    memref.store %1, %a[%zero] : memref<?xi8>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @reduce
  //       CHECK:   nvvm.redux.sync add
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  //   CHECK-NOT:   nvvm.shfl
  gpu.func @reduce(%x: i32, %y: f32, %a: memref<?xi32>, %b: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %0 = gpu.subgroup_reduce add %x uniform : (i32) -> i32
    %1 = gpu.subgroup_reduce maxnumf %y uniform : (f32) -> f32
    memref.store %0, %a[%zero] : memref<?xi32>
    memref.store %1, %b[%zero] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @ids
  //       CHECK:   nvvm.read.ptx.sreg.tid.x
  //       CHECK:   llvm.and
  //       CHECK:   nvvm.read.ptx.sreg.tid.y
  //       CHECK:   llvm.udiv
  gpu.func @ids(%a: memref<?xindex>) kernel
      attributes {known_block_size = array<i32: 32, 2, 1>, tinytc.subgroup_size = 16 : i32} {
    %lane = gpu.lane_id
    %id = gpu.subgroup_id : index
    %size = gpu.subgroup_size : index
    %number = gpu.num_subgroups : index
    memref.store %id, %a[%lane] : memref<?xindex>
    memref.store %number, %a[%size] : memref<?xindex>
    gpu.return
  }
}
}
