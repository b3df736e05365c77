// RUN: tinytc-opt %s --split-input-file --lower-to-spirv | FileCheck %s

// A module declares what it uses.

// CHECK-LABEL: spirv.module
//   CHECK-NOT:   Float64
//   CHECK-NOT:   Float16
//   CHECK-NOT:   AtomicFloat32AddEXT
//       CHECK:   spirv.func @single
tinytc.func @single(%x: f32, %a: !tinytc.memref<f32>) {
  tinytc.store %x, %a[] : f32, !tinytc.memref<f32>
}

// -----

// CHECK-LABEL: spirv.module
//  CHECK-SAME:   Float64
//       CHECK:   spirv.func @double
tinytc.func @double(%x: f64, %a: !tinytc.memref<f64>) {
  tinytc.store %x, %a[] : f64, !tinytc.memref<f64>
}

// -----

// CHECK-LABEL: spirv.module
//  CHECK-SAME:   AtomicFloat32AddEXT
//  CHECK-SAME:   SPV_EXT_shader_atomic_float_add
//       CHECK:   spirv.func @atomic
tinytc.func @atomic(%x: f32, %a: !tinytc.memref<f32>) {
  tinytc.store atomic_add %x, %a[] : f32, !tinytc.memref<f32>
}

// -----

// CHECK-LABEL: spirv.module
//  CHECK-SAME:   Int64Atomics
//       CHECK:   spirv.func @atomic_i64
tinytc.func @atomic_i64(%x: i64, %a: !tinytc.memref<i64>) {
  tinytc.store atomic_add %x, %a[] : i64, !tinytc.memref<i64>
}

// -----

// CHECK-LABEL: spirv.module
//  CHECK-SAME:   Linkage
//       CHECK:   spirv.func @native_exp
tinytc.func @native_exp(%x: f32, %a: !tinytc.memref<f32>) {
  %0 = tinytc.math.native_exp %x : f32
  tinytc.store %0, %a[] : f32, !tinytc.memref<f32>
}
