// RUN: tinytc-opt %s --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v4", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
  gpu.module @kernels {
    // Functions of more than 8,192 instructions are calls, by way of memory.
    // CHECK-LABEL: func.func @functions(
    // CHECK: %[[X:.*]] = llvm.load %{{.*}} -> vector<1024xf32>
    // CHECK: llvm.store %[[X]], %[[A:.*]] : vector<1024xf32>
    // CHECK: llvm.store %[[X]], %[[B:.*]] : vector<1024xf32>
    // CHECK: call @__tinytc_powf_f32_16_0(%[[A]], %[[B]], %[[A]], %{{.*}}, %c64_i64,
    // CHECK: %[[Y:.*]] = llvm.load %[[A]] : !llvm.ptr -> vector<1024xf32>
    // CHECK: llvm.store %[[Y]], %[[A]]
    // CHECK: call @__tinytc_powf_f32_16_0(%[[A]], %[[B]], %[[A]],
    // CHECK-NOT: math.fma
    // CHECK: return
    gpu.func @functions(%a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 1024, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.thread_id x
      %x = memref.load %a[%lane] : memref<?xf32>
      %y = math.powf %x, %x : f32
      %z = math.powf %y, %x : f32
      memref.store %z, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // CHECK-LABEL: func.func @few_functions(
    // CHECK-NOT: call
    // CHECK: math.fma
    // CHECK: return
    gpu.func @few_functions(%a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 1024, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.thread_id x
      %x = memref.load %a[%lane] : memref<?xf32>
      %y = math.powf %x, %x : f32
      memref.store %y, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // CHECK: func.func @__tinytc_powf_f32_16_0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr,
    // CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
    // CHECK: math.fma {{.*}} : vector<16xf32>
  }
}
