// RUN: tinytc-opt %s --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v4", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // CHECK: llvm.mlir.global internal constant @__tinytc_two_over_pi
    // Large numbers take more steps, which run if any lane has one: products of 128 bits
    // with words of a table.
    // CHECK-LABEL: func.func @sine(
    // CHECK-NOT: math.sin
    // CHECK: %[[TABLE:.*]] = llvm.mlir.addressof @__tinytc_two_over_pi
    // CHECK: %[[ANY:.*]] = vector.reduction <or>
    // CHECK: scf.if %[[ANY]]
    // CHECK: %[[WORDS:.*]] = llvm.getelementptr %[[TABLE]][%{{.*}}] : (!llvm.ptr, vector<16xi64>)
    // CHECK: llvm.intr.masked.gather %[[WORDS]],
    // CHECK: arith.mului_extended {{.*}} : vector<16xi64>
    // CHECK: llvm.store
    gpu.func @sine(%a: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xf64>
      %y = math.sin %x : f64
      memref.store %y, %a[%lane] : memref<?xf64>
      gpu.return
    }

    // What all lanes share is computed once.
    // CHECK-LABEL: func.func @uniform_sine(
    // CHECK: llvm.getelementptr %{{.*}} : (!llvm.ptr, i64) -> !llvm.ptr, i64
    // CHECK: llvm.load {{.*}} : !llvm.ptr -> i64
    // CHECK: arith.mului_extended {{.*}} : i64
    gpu.func @uniform_sine(%x: f64, %a: memref<?xf64>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %y = math.sin %x : f64
      memref.store %y, %a[%lane] : memref<?xf64>
      gpu.return
    }

    // Of f32, a native form stays in f32.
    // CHECK-LABEL: func.func @native_sine(
    // CHECK-NOT: f64
    // CHECK: llvm.store
    gpu.func @native_sine(%a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xf32>
      %y = math.sin %x fastmath<afn> : f32
      memref.store %y, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // CHECK-LABEL: func.func @remainder(
    // CHECK-NOT: arith.remf
    // CHECK: scf.while
    // CHECK: math.fma
    gpu.func @remainder(%a: memref<?xf32>, %y: f32) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %x = memref.load %a[%lane] : memref<?xf32>
      %z = arith.remf %x, %y : f32
      memref.store %z, %a[%lane] : memref<?xf32>
      gpu.return
    }
  }
}
