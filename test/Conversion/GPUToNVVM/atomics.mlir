// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm --canonicalize | FileCheck %s

// Scope and order of atomic accesses, and what each kind becomes.

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 232448,
    f64 = true>} {
gpu.module @kernels {

  // CHECK-LABEL: llvm.func @scopes
  //       CHECK:   llvm.atomicrmw add %{{.*}}, %{{.*}} monotonic {{.*}}: !llvm.ptr<1>, i32
  //       CHECK:   llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") acquire
  //       CHECK:   llvm.atomicrmw min %{{.*}}, %{{.*}} syncscope("block") release
  //       CHECK:   llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("block") seq_cst
  gpu.func @scopes(%a: memref<?xi32>, %b: memref<?xf32>, %i: index, %x: i32, %y: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = tinytc.atomic add cross_device relaxed %a[%i], %x : memref<?xi32>, i32 -> i32
    %1 = tinytc.atomic add device acquire %a[%i], %x : memref<?xi32>, i32 -> i32
    %2 = tinytc.atomic min work_group release %a[%i], %x : memref<?xi32>, i32 -> i32
    %3 = tinytc.atomic add subgroup sequentially_consistent %b[%i], %y
      : memref<?xf32>, f32 -> f32
    gpu.return
  }

  // Values are accessed as bits.
  // CHECK-LABEL: llvm.func @loads_and_stores
  //       CHECK:   llvm.load %{{.*}} atomic syncscope("device") acquire {alignment = 8 : i64} : !llvm.ptr<1> -> i64
  //       CHECK:   llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") release {alignment = 8 : i64} : i64, !llvm.ptr<1>
  gpu.func @loads_and_stores(%a: memref<?xf64>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = tinytc.atomic load device acquire %a[%i] : memref<?xf64> -> f64
    tinytc.atomic store device release %a[%i], %0 : memref<?xf64>, f64
    gpu.return
  }

  // An i16 is replaced in its word of 32 bits, a bf16 computed as one.
  // CHECK-LABEL: llvm.func @narrow
  //       CHECK:   llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
  //       CHECK:   llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
  //       CHECK:   llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  //       CHECK:   llvm.bitcast %{{.*}} : i16 to bf16
  //       CHECK:   llvm.fadd %{{.*}} : bf16
  //       CHECK:   llvm.cmpxchg %{{.*}} syncscope("device") monotonic monotonic {{.*}}: !llvm.ptr<1>, i32
  gpu.func @narrow(%a: memref<?xi16>, %i: index, %x: bf16) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = tinytc.atomic add device relaxed %a[%i], %x : memref<?xi16>, bf16 -> bf16
    gpu.return
  }

  // The builtin updates have the scope of their memory.
  // CHECK-LABEL: llvm.func @builtin
  //       CHECK:   llvm.atomicrmw add %{{.*}} syncscope("device") monotonic
  //       CHECK:   llvm.store %{{.*}} atomic syncscope("block") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<3>
  //       CHECK:   llvm.cmpxchg %{{.*}} syncscope("device") monotonic monotonic {{.*}}: !llvm.ptr<1>, i64
  gpu.func @builtin(%a: memref<?xi32>, %b: memref<?xf64>, %i: index, %x: i32, %y: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %buffer = memref.alloc() : memref<512xi8, #gpu.address_space<workgroup>>
    %local = memref.view %buffer[%zero][%i]
      : memref<512xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
    %0 = memref.atomic_rmw addi %x, %a[%i] : (i32, memref<?xi32>) -> i32
    %1 = memref.atomic_rmw assign %y, %local[%i]
      : (f32, memref<?xf32, #gpu.address_space<workgroup>>) -> f32
    %2 = memref.generic_atomic_rmw %b[%i] : memref<?xf64> {
    ^bb0(%old: f64):
      %new = arith.mulf %old, %old : f64
      memref.atomic_yield %new : f64
    }
    gpu.return
  }
}
}
