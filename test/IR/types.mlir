// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

// CHECK-LABEL: @scalars
// CHECK-SAME: i1, %{{.*}}: i8, %{{.*}}: i16, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: index, %{{.*}}: bf16, %{{.*}}: f16, %{{.*}}: f32, %{{.*}}: f64, %{{.*}}: complex<f32>, %{{.*}}: complex<f64>)
tinytc.func @scalars(%0: i1, %1: i8, %2: i16, %3: i32, %4: i64, %5: index, %6: bf16,
                     %7: f16, %8: f32, %9: f64, %10: complex<f32>,
                     %11: complex<f64>) {
}

// CHECK-LABEL: @memref_orders
// CHECK-SAME: !tinytc.memref<f32>, %{{.*}}: !tinytc.memref<4xf64>, %{{.*}}: !tinytc.memref<4x4xi8>, %{{.*}}: !tinytc.memref<5x6x7xcomplex<f32>>)
tinytc.func @memref_orders(%0: !tinytc.memref<f32>, %1: !tinytc.memref<4xf64>,
    %2: !tinytc.memref<4x4xi8>, %3: !tinytc.memref<5x6x7xcomplex<f32>>) {
}

// The packed layout and its explicit spelling are one type.
// CHECK-LABEL: @memref_packed
// CHECK-SAME: !tinytc.memref<5x6x7xf32>, %{{.*}}: !tinytc.memref<?x?xf32>)
tinytc.func @memref_packed(%0: !tinytc.memref<5x6x7xf32, strided<1,5,30>, global>,
                           %1: !tinytc.memref<?x?xf32, strided<1,?>>) {
}

// CHECK-LABEL: @memref_layouts
// CHECK-SAME: !tinytc.memref<4x?xf32, strided<2,8>>, %{{.*}}: !tinytc.memref<4x4xf32, strided<?,?>>, %{{.*}}: !tinytc.memref<8x0xf32>)
tinytc.func @memref_layouts(%0: !tinytc.memref<4x?xf32, strided<2,8>>,
    %1: !tinytc.memref<4x4xf32, strided<?,?>>, %2: !tinytc.memref<8x0xf32>) {
}

// CHECK-LABEL: @memref_local
// CHECK: !tinytc.memref<4x4xf32, local>
// CHECK: !tinytc.memref<4x4xf32, strided<1,8>, local>
tinytc.func @memref_local() {
  %0 = tinytc.alloca : !tinytc.memref<4x4xf32, local>
  %1 = tinytc.alloca : !tinytc.memref<4x4xf32, strided<1,8>, local>
}

// CHECK-LABEL: @groups
// CHECK-SAME: !tinytc.group<!tinytc.memref<16x8xf32> x ?>, %{{.*}}: !tinytc.group<!tinytc.memref<16x?xf32> x 1000, offset: 4>, %{{.*}}: !tinytc.group<!tinytc.memref<f32> x 2, offset: ?>)
tinytc.func @groups(%0: !tinytc.group<!tinytc.memref<16x8xf32> x ?, offset: 0>,
    %1: !tinytc.group<!tinytc.memref<16x?xf32> x 1000, offset: 4>,
    %2: !tinytc.group<!tinytc.memref<f32> x 2, offset: ?>) {
}

// CHECK-LABEL: @coopmatrices
// CHECK: !tinytc.coopmatrix<8x16xf16, matrix_a>
// CHECK: !tinytc.coopmatrix<16x8xi8, matrix_b>
// CHECK: !tinytc.coopmatrix<8x8xcomplex<f64>, matrix_acc>
tinytc.func @coopmatrices() {
  %0 = tinytc.constant 0.0 : f16 -> !tinytc.coopmatrix<8x16xf16, matrix_a>
  %1 = tinytc.constant 0 : i8 -> !tinytc.coopmatrix<16x8xi8, matrix_b>
  %2 = tinytc.constant [0.0 : f64, 1.0 : f64]
    -> !tinytc.coopmatrix<8x8xcomplex<f64>, matrix_acc>
}

// CHECK-LABEL: @attributes
// CHECK-SAME: {tinytc.alignment = 64 : i64, tinytc.shape_gcd = array<i64: 4>, tinytc.stride_gcd = array<i64: 1, 4>}
// CHECK-SAME: attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 2>}
tinytc.func @attributes(%0: !tinytc.memref<?x?xf32>
    {tinytc.alignment = 64, tinytc.shape_gcd = array<i64: 4>,
     tinytc.stride_gcd = array<i64: 1, 4>})
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 2>} {
}
