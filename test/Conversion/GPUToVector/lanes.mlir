// RUN: tinytc-opt %s --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // CHECK-LABEL: func.func @exchange(
    // CHECK: vector.shuffle %[[X:.*]], %[[X]] [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]
    // CHECK: vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<16xf32> into f32
    // CHECK: vector.extract
    gpu.func @exchange(%a: memref<?xf32>, %n: i32) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %one = arith.constant 1 : i32
      %width = arith.constant 16 : i32
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xf32>
      %y, %valid = gpu.shuffle xor %x, %one, %width : f32
      %sum = gpu.subgroup_reduce add %y : (f32) -> f32
      %z = gpu.subgroup_broadcast %x, specific_lane %n : f32
      %t = arith.mulf %sum, %z : f32
      memref.store %t, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // An amount that is not known goes through memory.
    // CHECK-LABEL: func.func @shuffle_unknown(
    // CHECK: arith.cmpi ult
    // CHECK: llvm.intr.masked.gather
    gpu.func @shuffle_unknown(%a: memref<?xf32>, %n: i32) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %width = arith.constant 16 : i32
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xf32>
      %y, %valid = gpu.shuffle down %x, %n, %width : f32
      memref.store %y, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // Lanes that do not run contribute nothing.
    // CHECK-LABEL: func.func @some_lanes(
    // CHECK: arith.constant dense<0> : vector<16xi32>
    // CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xi32>
    // CHECK-NEXT: vector.reduction <add>
    gpu.func @some_lanes(%a: memref<?xi32>, %n: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %v = memref.load %a[%lane] : memref<?xi32>
      %low = arith.cmpi slt, %lane, %n : index
      scf.if %low {
        %sum = gpu.subgroup_reduce add %v : (i32) -> i32
        memref.store %sum, %a[%lane] : memref<?xi32>
      }
      gpu.return
    }

    // LLVM would compare one lane after the other.
    // CHECK-LABEL: func.func @maximum(
    // CHECK: %[[EIGHT:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : vector<8xf32>
    // CHECK: %[[FOUR:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : vector<4xf32>
    // CHECK: %[[TWO:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : vector<2xf32>
    // CHECK: arith.maxnumf %{{.*}}, %{{.*}} :
    // CHECK-NOT: vector.reduction
    // CHECK: return
    gpu.func @maximum(%a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xf32>
      %max = gpu.subgroup_reduce maxnumf %x : (f32) -> f32
      memref.store %max, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // Two subgroups are one vector: a reduction is one of each half.
    // CHECK-LABEL: func.func @two_subgroups(
    // CHECK-COUNT-4: vector.shuffle
    // CHECK-NOT: vector.reduction
    // CHECK: return
    gpu.func @two_subgroups(%a: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %x = gpu.thread_id x
      %v = memref.load %a[%x] : memref<?xi32>
      %sum = gpu.subgroup_reduce add %v : (i32) -> i32
      gpu.barrier
      memref.store %sum, %a[%x] : memref<?xi32>
      gpu.return
    }

    // One lane after the other.
    // CHECK-LABEL: func.func @atomics(
    // CHECK: scf.for
    // CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} acq_rel : !llvm.ptr, i32
    // CHECK: scf.for
    // CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} monotonic monotonic : !llvm.ptr, i32
    gpu.func @atomics(%a: memref<?xi32>, %b: memref<?xf32>, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xi32>
      %old = tinytc.atomic add device acquire_release %a[%i], %x : memref<?xi32>, i32 -> i32
      %y = memref.load %b[%lane] : memref<?xf32>
      %before = tinytc.atomic add device relaxed %b[%i], %y : memref<?xf32>, f32 -> f32
      memref.store %before, %b[%lane] : memref<?xf32>
      gpu.return
    }
  }
}
