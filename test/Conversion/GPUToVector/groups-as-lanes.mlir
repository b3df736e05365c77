// RUN: tinytc-opt %s --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [8], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // Whole vectors of what eight groups load, and the groups that are left.
    // CHECK-LABEL: func.func @dense(
    // CHECK: %[[REST:.*]] = arith.remsi %{{.*}}, %c8 : index
    // CHECK: %[[WHOLE:.*]] = arith.subi %{{.*}}, %[[REST]] : index
    // CHECK: scf.for %{{.*}} = %{{.*}} to %[[WHOLE]] step %c8
    // CHECK: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf64>
    // CHECK: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf64>
    // CHECK: %[[X:.*]] = vector.shuffle %[[A]], %[[B]] [0, 2, 4, 6, 8, 10, 12, 14]
    // CHECK: %[[Y:.*]] = vector.shuffle %[[A]], %[[B]] [1, 3, 5, 7, 9, 11, 13, 15]
    // CHECK: arith.mulf %[[X]], %[[Y]] : vector<8xf64>
    // CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 2, 10, 3, 11]
    // CHECK: vector.shuffle %{{.*}}, %{{.*}} [4, 12, 5, 13, 6, 14, 7, 15]
    // CHECK: scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c1
    // CHECK: llvm.load %{{.*}} : !llvm.ptr -> f64
    gpu.func @dense(%a: memref<?xf64>, %b: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %i = gpu.block_id x
      %base = arith.muli %i, %c2 : index
      %next = arith.addi %base, %c1 : index
      %x = memref.load %a[%base] : memref<?xf64>
      %y = memref.load %a[%next] : memref<?xf64>
      %p = arith.mulf %x, %y : f64
      %q = arith.mulf %p, %y : f64
      %s = arith.addf %p, %q : f64
      memref.store %p, %b[%base] : memref<?xf64>
      memref.store %s, %b[%next] : memref<?xf64>
      gpu.return
    }

    // Of longer steps, vectors of the elements of each group.
    // CHECK-LABEL: func.func @windows(
    // CHECK: scf.for %{{.*}} step %c8
    // CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr -> vector<2xf64>
    // CHECK: %[[X:.*]] = vector.shuffle %[[E:.*]], %[[O:.*]] [0, 8, 2, 10, 4, 12, 6, 14]
    // CHECK: %[[Y:.*]] = vector.shuffle %[[E]], %[[O]] [1, 9, 3, 11, 5, 13, 7, 15]
    // CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : vector<8xf64>
    // CHECK: vector.shuffle %[[P]], %{{.*}} [0, 8, 2, 10, 4, 12, 6, 14]
    // CHECK-COUNT-8: llvm.store %{{.*}} : vector<2xf64>, !llvm.ptr
    gpu.func @windows(%a: memref<?xf64>, %b: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %i = gpu.block_id x
      %base = arith.muli %i, %c5 : index
      %next = arith.addi %base, %c1 : index
      %x = memref.load %a[%base] : memref<?xf64>
      %y = memref.load %a[%next] : memref<?xf64>
      %p = arith.mulf %x, %y : f64
      %q = arith.mulf %p, %y : f64
      %r = arith.mulf %q, %y : f64
      %t = arith.mulf %r, %y : f64
      %s = arith.addf %p, %t : f64
      memref.store %p, %b[%base] : memref<?xf64>
      memref.store %s, %b[%next] : memref<?xf64>
      gpu.return
    }

    // The distance of groups may be known to a launch alone.
    // CHECK-LABEL: func.func @strided(
    // CHECK-SAME: !llvm.ptr, %[[STRIDE:.*]]: index, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64,
    // CHECK: scf.for %[[I:.*]] = %{{.*}} step %c8
    // CHECK: arith.muli %[[I]], %[[STRIDE]] : index
    // CHECK: arith.muli %[[STRIDE]], %c7 : index
    // CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr -> vector<2xf64>
    gpu.func @strided(%a: memref<?xf64>, %stride: index) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
      %c1 = arith.constant 1 : index
      %i = gpu.block_id x
      %base = arith.muli %i, %stride : index
      %next = arith.addi %base, %c1 : index
      %x = memref.load %a[%base] : memref<?xf64>
      %y = memref.load %a[%next] : memref<?xf64>
      %p = arith.mulf %x, %y : f64
      %q = arith.mulf %p, %y : f64
      %r = arith.mulf %q, %y : f64
      %t = arith.mulf %r, %y : f64
      %s = arith.addf %p, %t : f64
      memref.store %p, %a[%base] : memref<?xf64>
      memref.store %s, %a[%next] : memref<?xf64>
      gpu.return
    }

    // Stores to other memory stay between these.
    // CHECK-LABEL: func.func @negative_stores(
    // CHECK-NOT: vector.shuffle
    // CHECK: return
    gpu.func @negative_stores(%a: memref<?xf64>, %b: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %i = gpu.block_id x
      %base = arith.muli %i, %c2 : index
      %next = arith.addi %base, %c1 : index
      %zero = arith.constant 0.0 : f64
      memref.store %zero, %a[%base] : memref<?xf64>
      memref.store %zero, %b[%base] : memref<?xf64>
      memref.store %zero, %a[%next] : memref<?xf64>
      gpu.return
    }

    // A store may be to the same memory as the load after it.
    // CHECK-LABEL: func.func @negative_order(
    // CHECK-NOT: vector.shuffle
    // CHECK: return
    gpu.func @negative_order(%a: memref<?xf64>, %b: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %i = gpu.block_id x
      %base = arith.muli %i, %c2 : index
      %next = arith.addi %base, %c1 : index
      %x = memref.load %a[%base] : memref<?xf64>
      memref.store %x, %b[%base] : memref<?xf64>
      %y = memref.load %a[%next] : memref<?xf64>
      %p = arith.mulf %x, %y : f64
      memref.store %p, %b[%next] : memref<?xf64>
      gpu.return
    }

    // All groups store to one place.
    // CHECK-LABEL: func.func @negative_shared(
    // CHECK-NOT: step %c8
    // CHECK: return
    gpu.func @negative_shared(%a: memref<?xf64>, %b: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
      %c0 = arith.constant 0 : index
      %i = gpu.block_id x
      %x = memref.load %a[%i] : memref<?xf64>
      %p = arith.mulf %x, %x : f64
      %q = arith.mulf %p, %x : f64
      memref.store %q, %b[%c0] : memref<?xf64>
      gpu.return
    }

    // Lanes of the kernel are not groups.
    // CHECK-LABEL: func.func @negative_lanes(
    // CHECK-NOT: step %c8
    // CHECK: return
    gpu.func @negative_lanes(%a: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xf64>
      %p = arith.mulf %x, %x : f64
      memref.store %p, %a[%lane] : memref<?xf64>
      gpu.return
    }
  }
}
