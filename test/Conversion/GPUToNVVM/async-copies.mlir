// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [32], max_work_group_size = 1024, local_memory_bytes = 1024, f64 = true>} {
gpu.module @kernels {
  // 16 bytes pass by the first cache; fewer do not.
  // CHECK-LABEL: llvm.func @copies
  //  CHECK-SAME:   nvvm.minctasm = 1 : i32
  //       CHECK:   nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg : !llvm.ptr<3>, !llvm.ptr<1>
  //       CHECK:   %[[SIZE:.*]] = llvm.mlir.constant(8 : i32) : i32
  //       CHECK:   %[[READ:.*]] = llvm.mul %{{.*}}, %[[SIZE]] : i32
  //       CHECK:   nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 8, cache =  ca, %[[READ]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  //       CHECK:   nvvm.cp.async.commit.group
  //       CHECK:   nvvm.cp.async.wait.group 0
  gpu.func @copies(%a: memref<?xf64>, %i: index, %n: index) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %size = arith.constant 64 : index
    %bytes = memref.alloc() {alignment = 128 : i64} : memref<512xi8, #gpu.address_space<workgroup>>
    %stage = memref.view %bytes[%zero][%size] : memref<512xi8, #gpu.address_space<workgroup>>
      to memref<?xf64, #gpu.address_space<workgroup>>
    nvgpu.device_async_copy %a[%i], %stage[%zero], 2 {bypassL1} : memref<?xf64> to memref<?xf64, #gpu.address_space<workgroup>>
    nvgpu.device_async_copy %a[%i], %stage[%i], 1, %n : memref<?xf64> to memref<?xf64, #gpu.address_space<workgroup>>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.return
  }
}
}
