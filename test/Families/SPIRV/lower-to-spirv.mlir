// RUN: tinytc-opt %s --lower-to-spirv | FileCheck %s
// RUN: tinytc-opt %s --lower-to-spirv=target=intel-gpu:pvc \
// RUN:   | FileCheck %s --check-prefix=PVC
// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: tinytc-opt %s --lower-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: tinytc-opt %s --prepare | FileCheck %s --check-prefix=PREPARE

// The sample of the language reference at every stage.

// One spirv.module and nothing else, besides what a launch must know.
//       CHECK: module attributes {tinytc.target = #tinytc.target<name = "cpu"
//  CHECK-NEXT: spirv.module {{.*}} Physical64 OpenCL requires #spirv.vce<v1.4, [
//   CHECK-NOT: tinytc.
//   CHECK-NOT: spirv.module
//   CHECK-NOT: gpu.
//   CHECK-NOT: memref
//       CHECK: spirv.func @fused_kernel(
//  CHECK-SAME:   %{{[^:]*}}: f32,
//  CHECK-SAME:   %{{[^:]*}}: !spirv.ptr<!spirv.ptr<f32, CrossWorkgroup>, CrossWorkgroup>,
//  CHECK-SAME:   %{{[^:]*}}: i64,
//  CHECK-SAME:   %{{[^:]*}}: !spirv.ptr<f32, CrossWorkgroup>,
//  CHECK-SAME:   %{{[^:]*}}: !spirv.ptr<f32, CrossWorkgroup>,
//  CHECK-SAME:   %{{[^:]*}}: !spirv.ptr<f32, CrossWorkgroup>, %{{[^:]*}}: i64)
//  CHECK-SAME:   tinytc.manifest = #{{[a-z]*}}} {
//   CHECK-NOT: tinytc.
//   CHECK-NOT: gpu.
//   CHECK-NOT: memref
//       CHECK: spirv.ControlBarrier <Subgroup>, <Subgroup>, <SequentiallyConsistent|WorkgroupMemory|CrossWorkgroupMemory>
//       CHECK: spirv.EntryPoint "Kernel" @fused_kernel
//       CHECK: spirv.ExecutionMode @fused_kernel "LocalSize", 16, 1, 1
//   CHECK-NOT: tinytc.

//         PVC: spirv.ExecutionMode @fused_kernel "LocalSize", 16, 1, 1

// One gpu.module; only attributes of the dialect are left.
//         GPU: gpu.module @kernels {
//     GPU-NOT: = tinytc.
//     GPU-NOT: linalg.
//     GPU-NOT: scf.forall
//         GPU: gpu.func @fused_kernel({{.*}}) kernel
//     GPU-NOT: = tinytc.
//     GPU-NOT: linalg.
//     GPU-NOT: scf.forall
//         GPU: gpu.barrier
//     GPU-NOT: = tinytc.
//     GPU-NOT: linalg.
//     GPU-NOT: scf.forall
//         GPU: gpu.return

//      LINALG: func.func @fused_kernel
//  LINALG-NOT: tinytc.gemm
// LINALG-COUNT-2: linalg.fill
//  LINALG-NOT: linalg.fill

//     PREPARE: tinytc.func @fused_kernel
//PREPARE-SAME:   subgroup_size = 16 : i32
//     PREPARE: tinytc.gemm n t
//PREPARE-NEXT: tinytc.barrier global local{{$}}
//PREPARE-NEXT: tinytc.gemm n n
//   PREPARE-NOT: tinytc.barrier
tinytc.func @fused_kernel(%alpha: f32, %A: !tinytc.group<!tinytc.memref<16x8xf32> x ?>,
                          %B: !tinytc.memref<8x8xf32>, %C: !tinytc.memref<8x16xf32>,
                          %D: !tinytc.memref<16x16x?xf32>) {
  %0 = tinytc.builtin.group_id : index
  %1 = tinytc.load %A[%0] : !tinytc.group<!tinytc.memref<16x8xf32> x ?>
  %2 = tinytc.subview %D[0:16, 0:16, %0]
    : !tinytc.memref<16x16x?xf32> -> !tinytc.memref<16x16xf32>
  %tmp0 = tinytc.alloca : !tinytc.memref<16x8xf32, local>
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n t %one, %1, %B, %zero, %tmp0 : f32, !tinytc.memref<16x8xf32>,
    !tinytc.memref<8x8xf32>, f32, !tinytc.memref<16x8xf32, local>
  tinytc.gemm n n %alpha, %tmp0, %C, %one, %2 : f32, !tinytc.memref<16x8xf32, local>,
    !tinytc.memref<8x16xf32>, f32, !tinytc.memref<16x16xf32>
}
