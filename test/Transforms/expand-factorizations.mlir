// RUN: tinytc-opt %s --tinytc-expand-factorizations | FileCheck %s

// One block: no product.
// CHECK-LABEL: @one_block
// CHECK-NOT: tinytc.gemm
// CHECK: tinytc.sqrt
// CHECK-NOT: tinytc.gemm
// CHECK-NOT: tinytc.cholesky
tinytc.func @one_block(%A: !tinytc.memref<9x9xf32>) {
  tinytc.cholesky l %A : !tinytc.memref<9x9xf32>
}

// The rows below the first block are solved with it, and a product updates the second.
// CHECK-LABEL: @two_blocks
// CHECK: tinytc.sqrt
// CHECK: tinytc.gemm n t %{{.*}}, %[[LEFT:.*]], %[[LEFT]], %{{.*}} : f32, !tinytc.memref<4x16xf32, strided<1,20>>
// CHECK: tinytc.sqrt
tinytc.func @two_blocks(%A: !tinytc.memref<20x20xf32>) {
  tinytc.cholesky l %A : !tinytc.memref<20x20xf32>
}

// Sizes that are equal become assertions.
// CHECK-LABEL: @unknown_sizes
// CHECK: tinytc.assert %{{.*}}, "'a' is square"
// CHECK: tinytc.for
tinytc.func @unknown_sizes(%A: !tinytc.memref<?x?xf32>) {
  tinytc.cholesky u %A : !tinytc.memref<?x?xf32>
}

// Work-items search for the pivot; nobody does without pivots.
// CHECK-LABEL: @lu
// CHECK: tinytc.subgroup_max reduce
// CHECK: tinytc.subgroup_min reduce
// CHECK-NOT: tinytc.subgroup_max
tinytc.func @lu(%A: !tinytc.memref<4x4xf64>, %piv: !tinytc.memref<4xi32>) {
  tinytc.lu %A, %piv : !tinytc.memref<4x4xf64>, !tinytc.memref<4xi32>
  tinytc.lu %A : !tinytc.memref<4x4xf64>
}

// With a lane for each row, a block stays in registers.
// CHECK-LABEL: @rows_in_lanes
// CHECK-NOT: tinytc.alloca
// CHECK: tinytc.parallel
// CHECK: tinytc.subgroup_broadcast
// CHECK-NOT: tinytc.for
tinytc.func @rows_in_lanes(%A: !tinytc.memref<4x4xf64>, %B: !tinytc.memref<4x4xf64>,
                           %piv: !tinytc.memref<4xi32>)
    attributes {subgroup_size = 4 : i32} {
  tinytc.cholesky l %A : !tinytc.memref<4x4xf64>
  tinytc.lu %B, %piv : !tinytc.memref<4x4xf64>, !tinytc.memref<4xi32>
}

// CHECK-LABEL: @negative_more_rows_than_lanes
// CHECK-NOT: tinytc.subgroup_broadcast
tinytc.func @negative_more_rows_than_lanes(%A: !tinytc.memref<9x9xf64>)
    attributes {subgroup_size = 4 : i32} {
  tinytc.cholesky l %A : !tinytc.memref<9x9xf64>
}

// CHECK-LABEL: @solve
// CHECK-NOT: tinytc.solve
// CHECK-NOT: tinytc.trsm
tinytc.func @solve(%A: !tinytc.memref<4x4xf64>, %b: !tinytc.memref<4xf64>) {
  tinytc.solve.spd l %A, %b : !tinytc.memref<4x4xf64>, !tinytc.memref<4xf64>
}

// CHECK-LABEL: @syrk
// CHECK: tinytc.gemm t n
// CHECK: tinytc.store atomic_add
tinytc.func @syrk(%x: f32, %A: !tinytc.memref<2x4xf32>, %C: !tinytc.memref<4x4xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.syrk l t atomic %x, %A, %one, %C
    : f32, !tinytc.memref<2x4xf32>, f32, !tinytc.memref<4x4xf32>
}

// CHECK-LABEL: @negative_product
// CHECK: tinytc.gemm
tinytc.func @negative_product(%x: f32, %A: !tinytc.memref<4x4xf32>,
                              %B: !tinytc.memref<4x4xf32>) {
  tinytc.gemm n n %x, %A, %A, %x, %B
    : f32, !tinytc.memref<4x4xf32>, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<4x4xf32>
}
