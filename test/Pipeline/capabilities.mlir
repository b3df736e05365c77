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
