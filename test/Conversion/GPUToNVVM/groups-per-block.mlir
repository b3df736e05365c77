// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm --canonicalize | FileCheck %s

// A block runs as many groups as the manifest says: the third thread id is the group, and
// their number one more parameter.

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 232448,
    f64 = true>} {
gpu.module @kernels {

  // 16 lanes of 4 groups: 100 bytes each, of which parts of a warp begin at other banks.
  //       CHECK: #[[$WARPS:[a-z0-9]+]] = #tinytc.manifest<local_size = [32, 1, 4], groups_per_work_group = 4, local_memory_bytes = 0>
  // CHECK-LABEL: llvm.mlir.global internal @parts_of_warps_local_memory_0()
  //  CHECK-SAME:   !llvm.array<688 x i8>

  // CHECK-LABEL: llvm.func @warps(
  //  CHECK-SAME:   %[[A:[^:]*]]: !llvm.ptr<1>, %[[NUM:[^:]*]]: i64)
  //  CHECK-SAME:   nvvm.reqntid = array<i32: 32, 1, 4>
  //  CHECK-SAME:   tinytc.manifest = #[[$WARPS]]
  //       CHECK:   %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
  //       CHECK:   %[[PLACE:.*]] = nvvm.read.ptx.sreg.tid.z
  //       CHECK:   %[[GROUP:.*]] = llvm.add %{{.*}}, %{{.*}} : i64
  //       CHECK:   %[[EXISTS:.*]] = llvm.icmp "slt" %[[GROUP]], %[[NUM]] : i64
  //       CHECK:   llvm.cond_br %[[EXISTS]], ^[[BODY:.*]], ^[[EXIT:.*]]
  //       CHECK: ^[[BODY]]:
  //       CHECK:   nvvm.read.ptx.sreg.ctaid.y
  //       CHECK:   llvm.getelementptr inbounds %[[A]][%[[GROUP]]]
  //       CHECK:   llvm.getelementptr inbounds %[[A]][%[[NUM]]]
  //       CHECK:   llvm.return
  //       CHECK: ^[[EXIT]]:
  //  CHECK-NEXT:   llvm.return
  gpu.func @warps(%a: memref<?xi64>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<local_size = [32, 1, 1],
                    groups_per_work_group = 1, groups_of_block = 4>} {
    %x = gpu.block_id x
    %y = gpu.block_id y
    %n = gpu.grid_dim x
    %0 = arith.index_cast %y : index to i64
    memref.store %0, %a[%x] : memref<?xi64>
    memref.store %0, %a[%n] : memref<?xi64>
    gpu.return
  }

  // The lanes of a group wait for each other, not for those of the other half.
  // CHECK-LABEL: llvm.func @parts_of_warps(
  //   CHECK-DAG:   %[[STRIDE:.*]] = llvm.mlir.constant(192 : i64) : i64
  //   CHECK-DAG:   %[[LANES:.*]] = llvm.mlir.constant(65535 : i32) : i32
  //   CHECK-DAG:   %[[FIRST:.*]] = llvm.mlir.constant(-16 : i32) : i32
  //   CHECK-DAG:   %[[MEMORY:.*]] = llvm.mlir.addressof @parts_of_warps_local_memory_0
  //       CHECK:   %[[OFFSET:.*]] = llvm.mul %{{.*}}, %[[STRIDE]]
  //       CHECK:   llvm.getelementptr inbounds %[[MEMORY]][%[[OFFSET]]]
  //       CHECK:   %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid
  //       CHECK:   %[[SHIFT:.*]] = llvm.and %[[LANE]], %[[FIRST]]
  //       CHECK:   %[[MASK:.*]] = llvm.shl %[[LANES]], %[[SHIFT]]
  //       CHECK:   nvvm.bar.warp.sync %[[MASK]]
  gpu.func @parts_of_warps() kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32,
                  tinytc.manifest = #tinytc.manifest<groups_of_block = 4>} {
    %zero = arith.constant 0 : index
    %byte = arith.constant 0 : i8
    %memory = memref.alloc() : memref<100xi8, #gpu.address_space<workgroup>>
    %view = memref.view %memory[%zero][] : memref<100xi8, #gpu.address_space<workgroup>>
      to memref<100xi8, #gpu.address_space<workgroup>>
    memref.store %byte, %view[%zero] : memref<100xi8, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}
}
