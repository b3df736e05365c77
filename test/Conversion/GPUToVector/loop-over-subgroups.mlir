// RUN: tinytc-opt %s --tinytc-loop-over-subgroups --canonicalize --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v4", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @ids(
    // CHECK-SAME: known_block_size = array<i32: 16, 1, 1>
    // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
    // CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : index
    // CHECK-DAG: %[[SIZE:.*]] = arith.constant 16 : index
    // CHECK: scf.for %[[SUBGROUP:.*]] = %{{.*}} to %[[SIX]]
    // CHECK-DAG: %[[COLUMN:.*]] = arith.remui %[[SUBGROUP]], %[[TWO]]
    // CHECK-DAG: %[[LANE:.*]] = gpu.lane_id
    // CHECK-DAG: %[[FIRST:.*]] = arith.muli %[[COLUMN]], %[[SIZE]]
    // CHECK-DAG: %[[X:.*]] = arith.addi %[[FIRST]], %[[LANE]]
    // CHECK-DAG: %[[Y:.*]] = arith.divui %[[SUBGROUP]], %[[TWO]]
    // CHECK: memref.store %[[X]], %{{.*}}[%[[X]]]
    // CHECK: memref.store %[[Y]], %{{.*}}[%[[X]]]
    // CHECK: memref.store %[[SUBGROUP]], %{{.*}}[%[[X]]]
    // CHECK: memref.store %[[SIX]], %{{.*}}[%[[X]]]
    gpu.func @ids(%a: memref<?xindex>) kernel
        attributes {known_block_size = array<i32: 32, 3, 1>, tinytc.subgroup_size = 16 : i32} {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %number = gpu.subgroup_id : index
      %count = gpu.num_subgroups : index
      memref.store %x, %a[%x] : memref<?xindex>
      memref.store %y, %a[%x] : memref<?xindex>
      memref.store %number, %a[%x] : memref<?xindex>
      memref.store %count, %a[%x] : memref<?xindex>
      gpu.return
    }

    // A value of each lane is in an array of a work-item; those that are cheap are
    // computed again.
    // CHECK-LABEL: gpu.func @barrier(
    // CHECK: %[[KEPT:.*]] = memref.alloca() : memref<2xf32, #gpu.address_space<private>>
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: %[[X:.*]] = memref.load
    // CHECK: memref.store %[[X]], %[[KEPT]][%[[SUBGROUP]]]
    // CHECK-NEXT: }
    // CHECK-NOT: gpu.barrier
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: %[[LANE:.*]] = gpu.lane_id
    // CHECK: %[[THREAD:.*]] = arith.addi %{{.*}}, %[[LANE]]
    // CHECK: %[[X:.*]] = memref.load %[[KEPT]][%[[SUBGROUP]]]
    // CHECK: memref.store %[[X]], %{{.*}}[%[[THREAD]]]
    gpu.func @barrier(%a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %thread = gpu.thread_id x
      %x = memref.load %a[%thread] : memref<?xf32>
      gpu.barrier
      memref.store %x, %a[%thread] : memref<?xf32>
      gpu.return
    }

    // What all work-items load is an array of the work-group.
    // CHECK-LABEL: gpu.func @uniform(
    // CHECK: %[[KEPT:.*]] = memref.alloca() : memref<2xf32>
    // CHECK: memref.store %{{.*}}, %[[KEPT]][
    // CHECK: memref.load %[[KEPT]][
    gpu.func @uniform(%a: memref<?xf32>, %i: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %thread = gpu.thread_id x
      %x = memref.load %a[%i] : memref<?xf32>
      gpu.barrier
      memref.store %x, %a[%thread] : memref<?xf32>
      gpu.return
    }

    // Of a value that grows from lane to lane, that of lane 0.
    // CHECK-LABEL: gpu.func @linear(
    // CHECK: %[[KEPT:.*]] = memref.alloca() : memref<2xindex>
    // CHECK: %[[N:.*]] = memref.load
    // CHECK: %[[SUM:.*]] = arith.addi %[[N]], %[[LANE:.*]] : index
    // CHECK: %[[FIRST:.*]] = arith.subi %[[SUM]], %[[LANE]]
    // CHECK: memref.store %[[FIRST]], %[[KEPT]][
    // CHECK: %[[LANE:.*]] = gpu.lane_id
    // CHECK: %[[FIRST:.*]] = memref.load %[[KEPT]][
    // CHECK: %[[SUM:.*]] = arith.addi %[[FIRST]], %[[LANE]]
    // CHECK: memref.store %[[SUM]]
    gpu.func @linear(%a: memref<?xindex>, %i: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %n = memref.load %a[%i] : memref<?xindex>
      %sum = arith.addi %n, %lane : index
      gpu.barrier
      memref.store %sum, %a[%lane] : memref<?xindex>
      gpu.return
    }

    // The bound is the same for all subgroups, and what the loop carries is not.
    // CHECK-LABEL: gpu.func @loop(
    // CHECK-DAG: %[[CARRIED:.*]] = memref.alloca() : memref<2xf32, #gpu.address_space<private>>
    // CHECK-DAG: %[[BOUND:.*]] = memref.alloca() : memref<2xindex>
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK-DAG: memref.store %{{.*}}, %[[CARRIED]][%[[SUBGROUP]]]
    // CHECK-DAG: memref.store %{{.*}}, %[[BOUND]][%[[SUBGROUP]]]
    // CHECK: }
    // CHECK: %[[N:.*]] = memref.load %[[BOUND]][%c0]
    // CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1 {
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: %[[X:.*]] = memref.load %[[CARRIED]][%[[SUBGROUP]]]
    // CHECK: memref.store %[[X]], %arg1[
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: %[[Y:.*]] = memref.load %arg1[
    // CHECK: memref.store %[[Y]], %[[CARRIED]][%[[SUBGROUP]]]
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: %[[X:.*]] = memref.load %[[CARRIED]][%[[SUBGROUP]]]
    // CHECK: memref.store %[[X]], %arg1[
    gpu.func @loop(%n: memref<?xindex>, %a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c31 = arith.constant 31 : index
      %thread = gpu.thread_id x
      %mirrored = arith.subi %c31, %thread : index
      %end = memref.load %n[%c0] : memref<?xindex>
      %x = memref.load %a[%thread] : memref<?xf32>
      %last = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %x) -> f32 {
        memref.store %carried, %a[%thread] : memref<?xf32>
        gpu.barrier
        %y = memref.load %a[%mirrored] : memref<?xf32>
        scf.yield %y : f32
      }
      memref.store %last, %a[%thread] : memref<?xf32>
      gpu.return
    }

    // An array of a work-item is one for each subgroup if a barrier is between its uses.
    // CHECK-LABEL: gpu.func @arrays(
    // CHECK: %[[ALL:.*]] = memref.alloca() : memref<8xf32, #gpu.address_space<private>>
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: memref.alloca() : memref<4xf32, #gpu.address_space<private>>
    // CHECK: %[[START:.*]] = arith.muli %[[SUBGROUP]], %c4
    // CHECK: %[[PLACE:.*]] = arith.addi %[[START]], %arg1
    // CHECK: memref.store %{{.*}}, %[[ALL]][%[[PLACE]]]
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: memref.load %[[ALL]][
    gpu.func @arrays(%a: memref<?xf32>, %i: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %thread = gpu.thread_id x
      %kept = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
      %short = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
      %x = memref.load %a[%thread] : memref<?xf32>
      memref.store %x, %short[%i] : memref<4xf32, #gpu.address_space<private>>
      %y = memref.load %short[%thread] : memref<4xf32, #gpu.address_space<private>>
      memref.store %y, %kept[%i] : memref<4xf32, #gpu.address_space<private>>
      gpu.barrier
      %z = memref.load %kept[%i] : memref<4xf32, #gpu.address_space<private>>
      memref.store %z, %a[%thread] : memref<?xf32>
      gpu.return
    }

    // Pointers are loaded again from their table, which no kernel writes; where the place
    // depends on memory, it is kept.
    // CHECK-LABEL: gpu.func @groups(
    // CHECK: %[[KEPT:.*]] = memref.alloca() : memref<2xindex, #gpu.address_space<private>>
    // CHECK: %[[SHARED:.*]] = memref.load %arg0[%arg2]
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: %[[PLACE:.*]] = memref.load %arg1[
    // CHECK: memref.load %arg0[%[[PLACE]]]
    // CHECK: memref.store %[[PLACE]], %[[KEPT]][%[[SUBGROUP]]]
    // CHECK: scf.for %[[SUBGROUP:.*]] =
    // CHECK: %[[PLACE:.*]] = memref.load %[[KEPT]][%[[SUBGROUP]]]
    // CHECK: %[[OWN:.*]] = memref.load %arg0[%[[PLACE]]]
    // CHECK: %[[X:.*]] = memref.load %[[SHARED]][
    // CHECK: memref.store %[[X]], %[[OWN]][
    gpu.func @groups(%a: memref<?xmemref<?xf32>>, %n: memref<?xindex>, %i: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %thread = gpu.thread_id x
      %shared = memref.load %a[%i] : memref<?xmemref<?xf32>>
      %place = memref.load %n[%thread] : memref<?xindex>
      %own = memref.load %a[%place] : memref<?xmemref<?xf32>>
      %x = memref.load %own[%thread] : memref<?xf32>
      memref.store %x, %shared[%thread] : memref<?xf32>
      gpu.barrier
      %y = memref.load %shared[%place] : memref<?xf32>
      memref.store %y, %own[%thread] : memref<?xf32>
      gpu.return
    }

    // CHECK-LABEL: gpu.func @negative_one_subgroup(
    // CHECK: gpu.barrier
    gpu.func @negative_one_subgroup(%a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %thread = gpu.thread_id x
      %x = memref.load %a[%thread] : memref<?xf32>
      gpu.barrier
      memref.store %x, %a[%thread] : memref<?xf32>
      gpu.return
    }

    // Some lanes may not reach the barrier when others do.
    // CHECK-LABEL: gpu.func @negative_divergent(
    // CHECK: gpu.barrier
    gpu.func @negative_divergent(%a: memref<?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %thread = gpu.thread_id x
      %is_inside = arith.cmpi slt, %thread, %n : index
      scf.if %is_inside {
        %x = memref.load %a[%thread] : memref<?xf32>
        gpu.barrier
        memref.store %x, %a[%thread] : memref<?xf32>
      }
      gpu.return
    }

    // The language has no such loop.
    // CHECK-LABEL: gpu.func @negative_while(
    // CHECK: gpu.barrier
    gpu.func @negative_while(%a: memref<?xindex>, %n: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %last = scf.while (%k = %n) : (index) -> index {
        %more = arith.cmpi sgt, %k, %c0 : index
        scf.condition(%more) %k : index
      } do {
      ^bb0(%k: index):
        gpu.barrier
        %next = arith.subi %k, %c1 : index
        scf.yield %next : index
      }
      %thread = gpu.thread_id x
      memref.store %last, %a[%thread] : memref<?xindex>
      gpu.return
    }
  }
}
