// RUN: tinytc-opt %s --lower-to-nvvm=target=cuda:sm_90 | FileCheck %s
// RUN: tinytc-opt %s --lower-to-ptx=target=cuda:sm_90 | FileCheck %s --check-prefix=PTX
// RUN: tinytc-opt %s --lower-to-gpu=target=cuda:sm_90 | FileCheck %s --check-prefix=GPU
// RUN: tinytc-opt %s --lower-to-gpu=target=cuda | FileCheck %s --check-prefix=GPU

// The stages after the common ones for NVIDIA's GPUs.

//       GPU: tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu, subgroup_sizes = [8, 16, 32]
//       GPU: gpu.func @scale({{.*}}) kernel

//       CHECK: #[[MANIFEST:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "scale"
//       CHECK: gpu.module @kernels {
//  CHECK-NEXT: llvm.func @scale(%{{[^:]*}}: f32, %{{[^:]*}}: !llvm.ptr<1>)
//  CHECK-SAME:   tinytc.manifest = #[[MANIFEST]]
//   CHECK-NOT: = memref.
//   CHECK-NOT: scf.
//   CHECK-NOT: unrealized_conversion_cast
//       CHECK: llvm.return

//         PTX: #[[MANIFEST:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "scale"
//         PTX: gpu.binary @kernels {{.*}}#nvvm.target<{{.*}}chip = "sm_90", features = "+ptx80">
//    PTX-SAME:   #gpu.kernel_metadata<"scale"
//    PTX-SAME:   tinytc.manifest = #[[MANIFEST]]
//    PTX-SAME:   assembly = "{{.*}}.version 8.0{{.*}}.visible .entry scale(
//     PTX-NOT: gpu.module
tinytc.func @scale(%alpha: f32, %a: !tinytc.memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  tinytc.axpby n %alpha, %a, %zero, %a : f32, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
}
