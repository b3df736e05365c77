// RUN: tinytc-opt %s --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // CHECK-LABEL: func.func @masked_if(
    // CHECK: %[[MASK:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<16xi32>
    // CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[MASK]] : vector<16xi1> into i1
    // CHECK: scf.if %[[ANY]]
    // CHECK: llvm.intr.masked.load %{{.*}}, %[[MASK]]
    // CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]]
    gpu.func @masked_if(%a: memref<?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %inside = arith.cmpi slt, %lane, %n : index
      scf.if %inside {
        %x = memref.load %a[%lane] : memref<?xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %a[%lane] : memref<?xf32>
      }
      gpu.return
    }

    // Lanes that are switched off divide by 1.
    // CHECK-LABEL: func.func @division(
    // CHECK: %[[DIVISOR:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xi32>
    // CHECK: arith.divsi %{{.*}}, %[[DIVISOR]] : vector<16xi32>
    gpu.func @division(%a: memref<?xi32>, %n: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %inside = arith.cmpi slt, %lane, %n : index
      scf.if %inside {
        %x = memref.load %a[%lane] : memref<?xi32>
        %y = arith.divsi %x, %x : i32
        memref.store %y, %a[%lane] : memref<?xi32>
      }
      gpu.return
    }

    // The loop goes on while any lane runs; a lane that has left keeps its sum.
    // CHECK-LABEL: func.func @masked_for(
    // CHECK: scf.while
    // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<16xindex>
    // CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[RUNS]]
    // CHECK: scf.condition(%[[ANY]])
    // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xf32>
    gpu.func @masked_for(%a: memref<?xf32>, %x: f32) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %lane = gpu.lane_id
      %sum = scf.for %i = %c0 to %lane step %c1 iter_args(%s = %x) -> (f32) {
        %t = arith.mulf %s, %x : f32
        scf.yield %t : f32
      }
      memref.store %sum, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // CHECK-LABEL: func.func @uniform_for(
    // CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<16xf32>)
    gpu.func @uniform_for(%a: memref<?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %lane = gpu.lane_id
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
        %x = memref.load %a[%lane] : memref<?xf32>
        %t = arith.addf %s, %x : f32
        scf.yield %t : f32
      }
      memref.store %sum, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // CHECK-LABEL: func.func @masked_while(
    // CHECK: scf.while
    // CHECK: %[[STAYS:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<16xi1>
    // CHECK: vector.reduction <or>, %[[STAYS]]
    gpu.func @masked_while(%a: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %one = arith.constant 1 : i32
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xi32>
      %end = scf.while (%s = %x) : (i32) -> i32 {
        %go = arith.cmpi sgt, %s, %one : i32
        scf.condition(%go) %s : i32
      } do {
      ^bb0(%s: i32):
        %half = arith.shrsi %s, %one : i32
        scf.yield %half : i32
      }
      memref.store %end, %a[%lane] : memref<?xi32>
      gpu.return
    }
  }
}
