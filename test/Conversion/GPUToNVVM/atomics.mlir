// RUN: tinytc-opt %s --split-input-file --tinytc-convert-gpu-to-nvvm --canonicalize | FileCheck %s

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

  // Sums of f16 and bf16 are instructions, other updates of 16 bits compare and swap
  // them.
  // CHECK-LABEL: llvm.func @halves
  //       CHECK:   llvm.inline_asm has_side_effects asm_dialect = att "atom.relaxed.gpu.global.add.noftz.bf16 $0, [$1], $2;", "=h,l,h,~{memory}" %{{.*}} : (!llvm.ptr<1>, i16) -> i16
  //       CHECK:   llvm.inline_asm {{.*}}"atom.acq_rel.sys.global.add.noftz.f16 $0, [$1], $2;"
  //       CHECK:   llvm.fence syncscope("block") seq_cst
  //       CHECK:   llvm.inline_asm {{.*}}"atom.acquire.cta.global.add.noftz.f16 $0, [$1], $2;"
  //       CHECK:   llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 2 : i64} : !llvm.ptr<1> -> i16
  //       CHECK:   llvm.intr.maxnum({{.*}}) : (f16, f16) -> f16
  //       CHECK:   llvm.inline_asm {{.*}}"atom.release.gpu.global.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h,~{memory}" %{{.*}} : (!llvm.ptr<1>, i16, i16) -> i16
  //   CHECK-NOT:   cmpxchg
  gpu.func @halves(%a: memref<?xi16>, %b: memref<?xf16>, %i: index, %x: bf16, %y: f16) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = tinytc.atomic add device relaxed %a[%i], %x : memref<?xi16>, bf16 -> bf16
    %1 = tinytc.atomic add cross_device acquire_release %b[%i], %y : memref<?xf16>, f16 -> f16
    %2 = tinytc.atomic add work_group sequentially_consistent %b[%i], %y
      : memref<?xf16>, f16 -> f16
    %3 = tinytc.atomic max device release %b[%i], %y : memref<?xf16>, f16 -> f16
    gpu.return
  }

  // An i8 is replaced in the 16 bits around it.
  // CHECK-LABEL: llvm.func @narrow
  //       CHECK:   %[[ADDRESS:.*]] = llvm.ptrtoint %[[ELEMENT:.*]] : !llvm.ptr<1> to i64
  //       CHECK:   %[[BYTE:.*]] = llvm.and %[[ADDRESS]], %{{.*}} : i64
  //       CHECK:   %[[OFFSET:.*]] = llvm.sub %{{.*}}, %[[BYTE]] : i64
  //       CHECK:   llvm.getelementptr %[[ELEMENT]][%[[OFFSET]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  //       CHECK:   llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 2 : i64} : !llvm.ptr<1> -> i16
  //       CHECK:   llvm.add %{{.*}} : i8
  //       CHECK:   llvm.inline_asm {{.*}}"atom.relaxed.gpu.global.cas.b16 $0, [$1], $2, $3;"
  gpu.func @narrow(%a: memref<?xi8>, %i: index, %x: i8) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = tinytc.atomic add device relaxed %a[%i], %x : memref<?xi8>, i8 -> i8
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

// -----

// A sum of bf16 has no instruction on sm_80.
module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_80", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 232448,
    f64 = true>} {
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @sm_80
  //       CHECK:   llvm.fadd %{{.*}} : bf16
  //       CHECK:   llvm.inline_asm {{.*}}"atom.relaxed.gpu.global.cas.b16 $0, [$1], $2, $3;"
  gpu.func @sm_80(%a: memref<?xbf16>, %i: index, %x: bf16) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0 = tinytc.atomic add device relaxed %a[%i], %x : memref<?xbf16>, bf16 -> bf16
    gpu.return
  }
}
}
