// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm --canonicalize | FileCheck %s

// Functions of math. test/python/ptx/test_functions.py measures their errors.

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 232448,
    f64 = true>} {
gpu.module @kernels {

  // One table for all kernels.
  //       CHECK: llvm.mlir.global internal constant @__tinytc_two_over_pi({{.*}} {addr_space = 4 : i32{{.*}} : !llvm.array<20 x i64>
  //   CHECK-NOT: @__tinytc_two_over_pi

  // CHECK-LABEL: llvm.func @approximations
  //       CHECK:   llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
  //       CHECK:   llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
  //       CHECK:   llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  //       CHECK:   llvm.call_intrinsic "llvm.nvvm.sin.approx.f"
  //       CHECK:   llvm.call_intrinsic "llvm.nvvm.cos.approx.f"
  gpu.func @approximations(%x: f32, %a: memref<?xf32>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.exp2 %0 fastmath<afn> : f32
    %2 = math.log2 %1 fastmath<afn> : f32
    %3 = math.sin %2 fastmath<afn> : f32
    %4 = math.cos %3 fastmath<afn> : f32
    memref.store %4, %a[%i] : memref<?xf32>
    gpu.return
  }

  // There is no approximation of f64, and f16 is computed in f32.
  // CHECK-LABEL: llvm.func @exact
  //   CHECK-NOT:   llvm.call_intrinsic
  //       CHECK:   llvm.intr.fma({{.*}}) : (f64, f64, f64) -> f64
  //   CHECK-NOT:   llvm.call_intrinsic
  //       CHECK:   llvm.fpext %{{.*}} : f16 to f32
  //   CHECK-NOT:   llvm.call_intrinsic
  //       CHECK:   llvm.fptrunc %{{.*}} : f32 to f16
  gpu.func @exact(%x: f64, %h: f16, %a: memref<?xf64>, %b: memref<?xf16>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = math.exp %x fastmath<afn> : f64
    memref.store %0, %a[%i] : memref<?xf64>
    %1 = math.log %h : f16
    memref.store %1, %b[%i] : memref<?xf16>
    gpu.return
  }

  // Large arguments need the table, in a branch of their own.
  // CHECK-LABEL: llvm.func @circular
  //       CHECK:   llvm.mlir.addressof @__tinytc_two_over_pi
  //       CHECK:   llvm.cond_br
  gpu.func @circular(%x: f32, %y: f64, %a: memref<?xf32>, %b: memref<?xf64>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = math.sin %x : f32
    memref.store %0, %a[%i] : memref<?xf32>
    %1 = math.cos %y : f64
    memref.store %1, %b[%i] : memref<?xf64>
    gpu.return
  }

  // The remainder has no instruction: it is long division in f32 or f64.
  // CHECK-LABEL: llvm.func @remainder
  //   CHECK-NOT:   llvm.frem
  //       CHECK:   llvm.fdiv %{{.*}} : f32
  //       CHECK:   llvm.intr.trunc({{.*}}) : (f32) -> f32
  //       CHECK:   llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
  //       CHECK:   llvm.intr.copysign({{.*}}) : (f32, f32) -> f32
  //   CHECK-NOT:   llvm.frem
  //       CHECK:   llvm.fdiv %{{.*}} : f64
  //   CHECK-NOT:   llvm.frem
  gpu.func @remainder(%x: bf16, %y: f64, %a: memref<?xbf16>, %b: memref<?xf64>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = memref.load %a[%i] : memref<?xbf16>
    %1 = arith.remf %0, %x : bf16
    memref.store %1, %a[%i] : memref<?xbf16>
    %2 = memref.load %b[%i] : memref<?xf64>
    %3 = arith.remf %2, %y : f64
    memref.store %3, %b[%i] : memref<?xf64>
    gpu.return
  }
}
}
