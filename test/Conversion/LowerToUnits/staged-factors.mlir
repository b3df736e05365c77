// RUN: tinytc-opt %s --tinytc-attach-target=target=cuda:sm_90 --tinytc-allocate-local-memory --tinytc-convert-to-linalg | FileCheck %s

!m = !tinytc.memref<32x32xf64>

// Two stages are under way while the third one is multiplied: 16 bytes a copy, which
// write zeros beyond the end of the summed mode alone, since tiles end where C ends.
// CHECK-LABEL: @doubles
//       CHECK:   %[[RING:.*]] = memref.view {{.*}} to memref<1584xf64, #gpu.address_space<workgroup>>
//       CHECK:   gpu.barrier
// CHECK-COUNT-8: nvgpu.device_async_copy {{.*}}, %[[RING]][{{.*}}], 2 {bypassL1}
//       CHECK:   nvvm.cp.async.commit.group
// CHECK-COUNT-8: nvgpu.device_async_copy
//       CHECK:   nvvm.cp.async.commit.group
//       CHECK:   scf.for
//       CHECK:     nvvm.cp.async.wait.group 1
//  CHECK-NEXT:     gpu.barrier
//       CHECK:     scf.if
// CHECK-COUNT-8:    nvgpu.device_async_copy
//       CHECK:     nvvm.cp.async.commit.group
// CHECK-COUNT-8:    tinytc.warp_matrix_mul_add
//       CHECK:     scf.yield
//       CHECK:   memref.store
tinytc.func @doubles(%a: !m, %b: !m, %c: !m)
    attributes {subgroup_size = 32 : i32, work_group_size = array<i32: 32, 1>} {
  %one = tinytc.constant 1.0 : f64
  tinytc.gemm n n %one, %a, %b, %one, %c {tinytc.strategy = #tinytc.strategy<
      kind = staged_factors, rows = 32, columns = 32, unroll = 8, grid_rows = 1,
      grid_columns = 1, local_bytes = 12672, stages = 3>} : f64, !m, !m, f64, !m
}

!odd = !tinytc.memref<33x20xf32>
!right = !tinytc.memref<20x32xf32>
!result = !tinytc.memref<33x32xf32>

// Lines of A begin anywhere: its copies are words, and none is read beyond its rows.
// All steps are under way from the start.
// CHECK-LABEL: @odd
//       CHECK:   %[[SIZE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
//  CHECK-NEXT:   nvgpu.device_async_copy {{.*}}, 1, %[[SIZE]] :
//       CHECK:   nvgpu.device_async_copy {{.*}}, 4, %{{.*}} {bypassL1} :
//       CHECK:   scf.for
//       CHECK:     nvvm.cp.async.wait.group 1
//   CHECK-NOT:     nvgpu.device_async_copy
//       CHECK:     math.fma
tinytc.func @odd(%a: !odd, %b: !right, %c: !result)
    attributes {subgroup_size = 32 : i32, work_group_size = array<i32: 32, 1>} {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %a, %b, %one, %c {tinytc.strategy = #tinytc.strategy<
      kind = staged_factors, rows = 64, columns = 32, unroll = 16, grid_rows = 1,
      grid_columns = 1, local_bytes = 13312, stages = 2>} : f32, !odd, !right, f32, !result
}
