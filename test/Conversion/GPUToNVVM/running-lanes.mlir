// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm --canonicalize --cse | FileCheck %s

// Functions of a subgroup that some of its lanes run: lanes vote before they part.

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 232448,
    f64 = true>} {
gpu.module @kernels {

  // All lanes have the same condition and bounds.
  // CHECK-LABEL: llvm.func @all
  //   CHECK-NOT:   nvvm.vote
  //       CHECK:   %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  //   CHECK-NOT:   nvvm.vote
  //       CHECK:   nvvm.redux.sync add %{{.*}}, %[[ALL]]
  //   CHECK-NOT:   nvvm.vote
  gpu.func @all(%n: index, %runs: i1, %x: i32, %a: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 32, 2, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %y = gpu.thread_id y
    scf.if %runs {
      scf.for %i = %y to %n step %one {
        %sum = gpu.subgroup_reduce add %x uniform : (i32) -> i32
        memref.store %sum, %a[%zero] : memref<?xi32>
      }
    }
    gpu.return
  }

  // CHECK-LABEL: llvm.func @branch
  //   CHECK-DAG:   %[[PART:.*]] = llvm.mlir.constant(255 : i32) : i32
  //       CHECK:   %[[SELF:.*]] = nvvm.read.ptx.sreg.laneid
  //       CHECK:   %[[ALL:.*]] = llvm.shl %[[PART]], %{{.*}} : i32
  //       CHECK:   %[[SOME:.*]] = nvvm.vote.sync ballot %[[ALL]], %[[CONDITION:.*]] -> i32
  //       CHECK:   %[[REST:.*]] = llvm.xor %[[ALL]], %[[SOME]] : i32
  //       CHECK:   llvm.cond_br %[[CONDITION]]
  //       CHECK:   nvvm.shfl.sync idx %[[SOME]]
  //       CHECK:   nvvm.shfl.sync idx %[[REST]],
  gpu.func @branch(%n: index, %x: i32, %lane: i32, %a: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 8 : i32} {
    %item = gpu.thread_id x
    %runs = arith.cmpi slt, %item, %n : index
    scf.if %runs {
      %0 = gpu.subgroup_reduce maxsi %x uniform : (i32) -> i32
      memref.store %0, %a[%item] : memref<?xi32>
    } else {
      %0 = gpu.subgroup_broadcast %x, specific_lane %lane : i32
      memref.store %0, %a[%item] : memref<?xi32>
    }
    gpu.return
  }

  // Three steps double how many of the lanes that run are in a sum.
  // CHECK-LABEL: llvm.func @chain
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32,
  //       CHECK:   %[[SOME:.*]] = nvvm.vote.sync ballot
  //       CHECK:   %[[LOWER:.*]] = nvvm.read.ptx.sreg.lanemask.lt
  //       CHECK:   %[[BELOW:.*]] = llvm.and %[[SOME]], %[[LOWER]] : i32
  //       CHECK:   %[[ZEROS:.*]] = "llvm.intr.ctlz"(%[[BELOW]])
  //       CHECK:   %[[BEFORE:.*]] = llvm.sub %{{.*}}, %[[ZEROS]] : i32
  //       CHECK:   %[[FIRST:.*]] = llvm.icmp "slt" %[[BEFORE]], %{{.*}} : i32
  //       CHECK:   %[[SOURCE:.*]] = llvm.select %[[FIRST]], %{{.*}}, %[[BEFORE]]
  //       CHECK:   nvvm.shfl.sync idx %[[SOME]], %{{.*}}, %[[SOURCE]]
  //       CHECK:   %[[SUM:.*]] = llvm.fadd %{{.*}}, %[[X]] : f32
  //       CHECK:   llvm.select %[[FIRST]], %[[X]], %[[SUM]]
  //       CHECK:   nvvm.shfl.sync idx %[[SOME]], %[[BEFORE]], %[[SOURCE]]
  // CHECK-COUNT-4: nvvm.shfl.sync idx %[[SOME]]
  //   CHECK-NOT:   nvvm.shfl
  gpu.func @chain(%x: f32, %n: index, %a: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
    %lane = gpu.lane_id
    %runs = arith.cmpi slt, %lane, %n : index
    scf.if %runs {
      %sum = gpu.subgroup_reduce add %x uniform : (f32) -> f32
      memref.store %sum, %a[%lane] : memref<?xf32>
    }
    gpu.return
  }

  // Each iteration says who runs the next one.
  // CHECK-LABEL: llvm.func @loop
  //       CHECK:   %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  //       CHECK:   %[[FIRST:.*]] = nvvm.vote.sync ballot %[[ALL]],
  //       CHECK:   llvm.br ^[[HEAD:.*]](%{{.*}}, %[[FIRST]] :
  //       CHECK: ^[[HEAD]](%{{.*}}: i64, %[[SOME:.*]]: i32):
  //       CHECK:   nvvm.redux.sync min %{{.*}}, %[[SOME]]
  //       CHECK:   %[[NEXT:.*]] = nvvm.vote.sync ballot %[[SOME]],
  //       CHECK:   llvm.br ^[[HEAD]](%{{.*}}, %[[NEXT]] :
  gpu.func @loop(%x: i32, %a: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %lane = gpu.lane_id
    scf.for %i = %zero to %lane step %one {
      %0 = gpu.subgroup_reduce minsi %x uniform : (i32) -> i32
      memref.store %0, %a[%lane] : memref<?xi32>
    }
    gpu.return
  }

  // Lanes load an element that changes each at its time, and go on until it is 0.
  // CHECK-LABEL: llvm.func @waiting
  //       CHECK:   %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  //       CHECK:   llvm.br ^[[HEAD:.*]](%[[ALL]] : i32)
  //       CHECK: ^[[HEAD]](%[[COME:.*]]: i32):
  //       CHECK:   nvvm.redux.sync add %{{.*}}, %[[COME]]
  //       CHECK:   %[[STAY:.*]] = nvvm.vote.sync ballot %[[COME]],
  //       CHECK:   llvm.cond_br %{{.*}}, ^[[BODY:.*]](%[[STAY]] : i32),
  //       CHECK: ^[[BODY]](%[[SOME:.*]]: i32):
  //       CHECK:   nvvm.redux.sync max %{{.*}}, %[[SOME]]
  //       CHECK:   llvm.br ^[[HEAD]](%[[SOME]] : i32)
  gpu.func @waiting(%x: i32, %a: memref<?xi32>, %b: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %none = arith.constant 0 : i32
    scf.while : () -> () {
      %0 = gpu.subgroup_reduce add %x uniform : (i32) -> i32
      memref.store %0, %b[%zero] : memref<?xi32>
      %1 = tinytc.atomic load device relaxed %a[%zero] : memref<?xi32> -> i32
      %goes_on = arith.cmpi ne, %1, %none : i32
      scf.condition(%goes_on)
    } do {
      %0 = gpu.subgroup_reduce maxsi %x uniform : (i32) -> i32
      memref.store %0, %b[%zero] : memref<?xi32>
      scf.yield
    }
    gpu.return
  }
}
}
