// RUN: tinytc-opt %s --lower-to-vector=target=x86-64-v3 | FileCheck %s --check-prefix=VECTOR
// RUN: tinytc-opt %s --lower-to-llvm-dialect=target=x86-64-v3 | FileCheck %s
// RUN: tinytc-opt %s --lower-to-object=target=x86-64-v3 | FileCheck %s --check-prefix=OBJECT

// The stages after the common ones for processors that LLVM compiles for.

//      VECTOR: tinytc.target = #tinytc.target<name = "x86-64-v3", family = native
//      VECTOR: func.func @scale(
//      VECTOR: arith.mulf {{.*}} : vector<16xf32>
//  VECTOR-NOT: gpu.func

//       CHECK: #[[MANIFEST:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "scale"
//       CHECK: gpu.module @kernels {
//  CHECK-NEXT: llvm.func @scale(%{{[^:]*}}: f32, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64
//  CHECK-SAME:   tinytc.manifest = #[[MANIFEST]]
//   CHECK-NOT: scf.
//   CHECK-NOT: unrealized_conversion_cast
//       CHECK: llvm.return

//      OBJECT: #[[MANIFEST:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "scale"
//      OBJECT: gpu.binary @kernels [#gpu.object<#tinytc.target<name = "x86-64-v3"
// OBJECT-SAME:   #gpu.kernel_metadata<"scale"
// OBJECT-SAME:   tinytc.manifest = #[[MANIFEST]]
// OBJECT-SAME:   bin = "\7FELF
//  OBJECT-NOT: gpu.module
tinytc.func @scale(%alpha: f32, %a: !tinytc.memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  tinytc.axpby n %alpha, %a, %zero, %a : f32, !tinytc.memref<32xf32>, f32, !tinytc.memref<32xf32>
}
