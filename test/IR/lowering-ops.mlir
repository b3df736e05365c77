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

// CHECK-LABEL: @complex_parts_expanded
//       CHECK:   tinytc.complex_parts expanded %{{.*}} : memref<4x?xcomplex<f32>, strided<[3, ?], offset: 5>>
func.func @complex_parts_expanded(%a: memref<4x?xcomplex<f32>, strided<[3, ?], offset: 5>>,
                                  %i: index) -> f32 {
  %0 = tinytc.complex_parts expanded %a : memref<4x?xcomplex<f32>, strided<[3, ?], offset: 5>>
  %1 = memref.load %0[%i, %i, %i] : memref<2x4x?xf32, strided<[1, 6, ?], offset: 10>>
  return %1 : f32
}

// CHECK-LABEL: @complex_parts_of_dynamic_sizes
//       CHECK:   return %{{.*}} : memref<?x3xf32, strided<[1, ?]>>
func.func @complex_parts_of_dynamic_sizes(%a: memref<?x3xcomplex<f32>, strided<[1, ?]>>)
    -> memref<?x3xf32, strided<[1, ?]>> {
  %0 = tinytc.complex_parts %a : memref<?x3xcomplex<f32>, strided<[1, ?]>>
  return %0 : memref<?x3xf32, strided<[1, ?]>>
}

// CHECK-LABEL: @atomic
//       CHECK:   %[[X:.*]] = tinytc.atomic load device acquire %{{.*}}[%{{.*}}] : memref<4xf32> -> f32
//       CHECK:   tinytc.atomic store work_group relaxed %{{.*}}[%{{.*}}], %[[X]] : memref<4xf32>, f32
//       CHECK:   tinytc.atomic max subgroup release %{{.*}}[%{{.*}}], %[[X]] : memref<4xf32>, f32 -> f32
//       CHECK:   tinytc.atomic add cross_device sequentially_consistent %{{.*}}[%{{.*}}], %{{.*}} : memref<?xi16>, bf16 -> bf16
func.func @atomic(%a: memref<4xf32>, %i: index, %b: memref<?xi16>, %y: bf16) {
  %0 = tinytc.atomic load device acquire %a[%i] : memref<4xf32> -> f32
  tinytc.atomic store work_group relaxed %a[%i], %0 : memref<4xf32>, f32
  %1 = tinytc.atomic max subgroup release %a[%i], %0 : memref<4xf32>, f32 -> f32
  %2 = tinytc.atomic add cross_device sequentially_consistent %b[%i], %y
    : memref<?xi16>, bf16 -> bf16
  return
}

// CHECK-LABEL: @subgroup_matrix_mul_add
//       CHECK:   %[[SUM:.*]]:2 = tinytc.subgroup_matrix_mul_add(%{{.*}}), (%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}) :
//       CHECK:   tinytc.subgroup_matrix_mul_add(%{{.*}}), (%{{.*}}, %{{.*}}), (%{{.*}}) : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<2xf32>
//       CHECK:   tinytc.subgroup_matrix_mul_add(%{{.*}}), (%{{.*}}, %{{.*}}), (%{{.*}}) : f32, f32, f32, f32, f32, f32, f32, f32, i16, i16, vector<2xf32>
func.func @subgroup_matrix_mul_add(%a: f32, %b: f32, %h: i16, %c: vector<2xf32>)
    -> (f32, f32, vector<2xf32>) {
  %0:2 = tinytc.subgroup_matrix_mul_add
      (%a, %a, %a, %a, %a, %a, %a, %a), (%b, %b), (%a, %b)
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  %1 = tinytc.subgroup_matrix_mul_add
      (%a, %a, %a, %a, %a, %a, %a, %a), (%b, %b), (%c)
    : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<2xf32>
  %2 = tinytc.subgroup_matrix_mul_add
      (%a, %a, %a, %a, %a, %a, %a, %a), (%h, %h), (%1)
    : f32, f32, f32, f32, f32, f32, f32, f32, i16, i16, vector<2xf32>
  return %0#0, %0#1, %2 : f32, f32, vector<2xf32>
}

// CHECK-LABEL: @subgroup_block_load
//       CHECK:   tinytc.subgroup_block_load %{{.*}}[%{{.*}}] sizes(%{{.*}}, %{{.*}}) stride %{{.*}} at(%{{.*}}, %{{.*}}) : memref<?xi16> -> bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16
//       CHECK:   tinytc.subgroup_block_load transposed %{{.*}}[%{{.*}}] sizes(%{{.*}}, %{{.*}}) stride %{{.*}} at(%{{.*}}, %{{.*}}) : memref<f16> -> f16
//       CHECK:   tinytc.subgroup_block_load %{{.*}} : memref<f32> -> i16
//       CHECK:   tinytc.subgroup_block_load transposed %{{.*}} : memref<f32> -> f32
func.func @subgroup_block_load(%a: memref<?xi16>, %b: memref<f16>, %c: memref<f32>, %i: index)
    -> (bf16, f16, i16, f32) {
  %0:8 = tinytc.subgroup_block_load %a[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<?xi16> -> bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16
  %1:16 = tinytc.subgroup_block_load transposed %b[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<f16> -> f16, f16, f16, f16, f16, f16, f16, f16,
                     f16, f16, f16, f16, f16, f16, f16, f16
  %2:8 = tinytc.subgroup_block_load %c[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<f32> -> i16, i16, i16, i16, i16, i16, i16, i16
  %3:8 = tinytc.subgroup_block_load transposed %c[%i] sizes(%i, %i) stride %i at(%i, %i)
    : memref<f32> -> f32, f32, f32, f32, f32, f32, f32, f32
  return %0#0, %1#0, %2#0, %3#0 : bf16, f16, i16, f32
}

// CHECK-LABEL: @packed_mul_add
//       CHECK:   tinytc.packed_mul_add ui8 %{{.*}}, %{{.*}}, %{{.*}} : i32, i32
//       CHECK:   tinytc.packed_mul_add bf16 %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi32>, vector<4xf32>
func.func @packed_mul_add(%a: i32, %b: vector<4xi32>, %c: vector<4xf32>) -> (i32, vector<4xf32>) {
  %0 = tinytc.packed_mul_add ui8 %a, %a, %a : i32, i32
  %1 = tinytc.packed_mul_add bf16 %b, %b, %c : vector<4xi32>, vector<4xf32>
  return %0, %1 : i32, vector<4xf32>
}

// CHECK-LABEL: @tile_product
//       CHECK:   tinytc.tile_product bf16 %{{.*}} by %{{.*}}, %{{.*}} by %{{.*}}, %{{.*}}[%{{.*}}] by %{{.*}} at(%{{.*}}, %{{.*}}) (%{{.*}}) steps %{{.*}} tile [16, 12, 16] : memref<?xi32>, memref<?xi32>, memref<?xf32>
//       CHECK:   tinytc.tile_product accumulate i8
func.func @tile_product(%a: memref<?xi32>, %c: memref<?xf32>, %i: index, %n: index) {
  tinytc.tile_product bf16 %a by %n, %a by %n, %c[%i] by %n at (%i, %n) (%i) steps %n
    tile [16, 12, 16] : memref<?xi32>, memref<?xi32>, memref<?xf32>
  tinytc.tile_product accumulate i8 %a by %n, %a by %n, %a[%i] by %n at (%i) (%i) steps %n
    tile [16, 12, 16] : memref<?xi32>, memref<?xi32>, memref<?xi32>
  return
}

// CHECK-LABEL: @warp_matrix_mul_add
//       CHECK:   %{{.*}}:4 = tinytc.warp_matrix_mul_add(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
//       CHECK:   tinytc.warp_matrix_mul_add(%{{.*}}) : bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, f32, f32, f32, f32
func.func @warp_matrix_mul_add(%a: f64, %b: bf16, %c: f32) -> (f64, f32) {
  %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%a, %a), (%a, %a, %a, %a)
    : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
  %1:4 = tinytc.warp_matrix_mul_add
      (%b, %b, %b, %b, %b, %b, %b, %b), (%b, %b, %b, %b), (%c, %c, %c, %c)
    : bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16,
       f32, f32, f32, f32
  return %0#0, %1#0 : f64, f32
}
