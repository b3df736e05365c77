// RUN: tinytc-opt %s --tinytc-outline-atomics | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [64], max_work_group_size = 8192, local_memory_bytes = 262144, f64 = true, vector_bytes = 64>} {
  gpu.module @kernels {
    // CHECK: func.func private @[[$ADD:.*]](%{{.*}}: f64, %{{.*}}: memref<?xf64>, %{{.*}}: index) attributes {function_control = #spirv.function_control<DontInline>}
    // CHECK: memref.atomic_rmw addf
    // CHECK: func.func private @[[$MIN:.*]](%{{.*}}: f64, %{{.*}}: memref<?xf64>, %{{.*}}: index) -> f64
    // CHECK: tinytc.atomic{{ *}}min
    // CHECK-LABEL: gpu.func @five_updates
    // CHECK: %[[BEFORE:.*]] = {{.*}}call @[[$MIN]](
    // CHECK: call @[[$MIN]](%[[BEFORE]], %{{.*}}, %{{.*}})
    // CHECK-COUNT-3: call @[[$ADD]]
    gpu.func @five_updates(%a: memref<?xf64>, %x: f64) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tinytc.subgroup_size = 64 : i32} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = tinytc.atomic min device relaxed %a[%c0], %x : memref<?xf64>, f64 -> f64
      %1 = tinytc.atomic min device relaxed %a[%c1], %0 : memref<?xf64>, f64 -> f64
      memref.store %1, %a[%c0] : memref<?xf64>
      %2 = memref.atomic_rmw addf %x, %a[%c0] : (f64, memref<?xf64>) -> f64
      %3 = memref.atomic_rmw addf %x, %a[%c1] : (f64, memref<?xf64>) -> f64
      %4 = memref.atomic_rmw addf %x, %a[%c0] : (f64, memref<?xf64>) -> f64
      gpu.return
    }

    // CHECK-LABEL: gpu.func @negative_four_updates
    // CHECK-NOT: call
    gpu.func @negative_four_updates(%a: memref<?xf64>, %x: f64) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tinytc.subgroup_size = 64 : i32} {
      %c0 = arith.constant 0 : index
      %0 = memref.atomic_rmw addf %x, %a[%c0] : (f64, memref<?xf64>) -> f64
      %1 = memref.atomic_rmw addf %x, %a[%c0] : (f64, memref<?xf64>) -> f64
      %2 = memref.atomic_rmw addf %x, %a[%c0] : (f64, memref<?xf64>) -> f64
      %3 = memref.atomic_rmw addf %x, %a[%c0] : (f64, memref<?xf64>) -> f64
      gpu.return
    }
  }
}
