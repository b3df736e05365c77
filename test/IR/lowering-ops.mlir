// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s

// Ops that only the lowering makes.

// CHECK-LABEL: @opaque_index
//       CHECK:   tinytc.opaque_index %{{.*}} : index
func.func @opaque_index(%i: index) -> index {
  %0 = tinytc.opaque_index %i : index
  return %0 : index
}

// CHECK-LABEL: @complex_parts
//       CHECK:   tinytc.complex_parts %{{.*}} : memref<4x?xcomplex<f64>, strided<[1, 7], offset: ?>, #gpu.address_space<workgroup>>
//       CHECK:   return %{{.*}} : memref<8x?xf64, strided<[1, 14], offset: ?>, #gpu.address_space<workgroup>>
func.func @complex_parts(
    %a: memref<4x?xcomplex<f64>, strided<[1, 7], offset: ?>, #gpu.address_space<workgroup>>)
    -> memref<8x?xf64, strided<[1, 14], offset: ?>, #gpu.address_space<workgroup>> {
  %0 = tinytc.complex_parts %a
    : memref<4x?xcomplex<f64>, strided<[1, 7], offset: ?>, #gpu.address_space<workgroup>>
  return %0 : memref<8x?xf64, strided<[1, 14], offset: ?>, #gpu.address_space<workgroup>>
}

// CHECK-LABEL: @complex_parts_of_dynamic_sizes
//       CHECK:   return %{{.*}} : memref<?x3xf32, strided<[1, ?]>>
func.func @complex_parts_of_dynamic_sizes(%a: memref<?x3xcomplex<f32>, strided<[1, ?]>>)
    -> memref<?x3xf32, strided<[1, ?]>> {
  %0 = tinytc.complex_parts %a : memref<?x3xcomplex<f32>, strided<[1, ?]>>
  return %0 : memref<?x3xf32, strided<[1, ?]>>
}
