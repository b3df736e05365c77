// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

!matrix = !tinytc.memref<4x4xf32>
!pivots = !tinytc.memref<4xi32>
!vector = !tinytc.memref<4xf32>

// CHECK-LABEL: @cholesky
// CHECK: tinytc.cholesky l %{{.*}} : !tinytc.memref<4x4xf32>{{$}}
// CHECK: tinytc.cholesky u %{{.*}}, %{{.*}} : !tinytc.memref<4x4xf32>, !tinytc.memref<i32>
tinytc.func @cholesky(%A: !matrix, %info: !tinytc.memref<i32>) {
  tinytc.cholesky l %A : !matrix
  tinytc.cholesky u %A, %info : !matrix, !tinytc.memref<i32>
}

// CHECK-LABEL: @lu
// CHECK: tinytc.lu %{{.*}} : !tinytc.memref<4x4xf32>{{$}}
// CHECK: tinytc.lu %{{.*}}, %{{.*}} : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>{{$}}
// CHECK: tinytc.lu %{{.*}}, %{{.*}}, %{{.*}} : !tinytc.memref<?x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<i32>
tinytc.func @lu(%A: !matrix, %B: !tinytc.memref<?x4xf32>, %piv: !pivots,
                %info: !tinytc.memref<i32>) {
  tinytc.lu %A : !matrix
  tinytc.lu %A, %piv : !matrix, !pivots
  tinytc.lu %B, %piv, %info : !tinytc.memref<?x4xf32>, !pivots, !tinytc.memref<i32>
}

// CHECK-LABEL: @trsm
// CHECK: tinytc.trsm l n %
// CHECK: tinytc.trsm right u c unit %
tinytc.func @trsm(%x: f32, %A: !matrix, %B: !tinytc.memref<2x4xf32>, %b: !vector) {
  tinytc.trsm l n %x, %A, %b : f32, !matrix, !vector
  tinytc.trsm right u c unit %x, %A, %B : f32, !matrix, !tinytc.memref<2x4xf32>
}

// CHECK-LABEL: @swap_rows
// CHECK: tinytc.swap_rows %
// CHECK: tinytc.swap_rows reverse %
tinytc.func @swap_rows(%piv: !pivots, %A: !matrix, %b: !vector) {
  tinytc.swap_rows %piv, %A : !pivots, !matrix
  tinytc.swap_rows reverse %piv, %b : !pivots, !vector
}

// CHECK-LABEL: @syrk
// CHECK: tinytc.syrk l n %
// CHECK: tinytc.syrk u c atomic %
tinytc.func @syrk(%x: f32, %A: !tinytc.memref<4x2xf32>, %B: !tinytc.memref<2x4xf32>,
                  %C: !matrix) {
  %one = tinytc.constant 1.0 : f32
  tinytc.syrk l n %x, %A, %x, %C : f32, !tinytc.memref<4x2xf32>, f32, !matrix
  tinytc.syrk u c atomic %x, %B, %one, %C : f32, !tinytc.memref<2x4xf32>, f32, !matrix
}

// CHECK-LABEL: @solve
// CHECK: tinytc.solve.spd l %{{.*}}, %{{.*}} : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>{{$}}
// CHECK: tinytc.solve.lu %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !tinytc.memref<4x4xf32>, !tinytc.memref<4xi32>, !tinytc.memref<4xf32>, !tinytc.memref<i32>
tinytc.func @solve(%A: !matrix, %piv: !pivots, %b: !vector, %info: !tinytc.memref<i32>) {
  tinytc.solve.spd l %A, %b : !matrix, !vector
  tinytc.solve.lu %A, %piv, %b, %info
    : !matrix, !pivots, !vector, !tinytc.memref<i32>
}

// CHECK-LABEL: @trmm
// CHECK: tinytc.trmm l n %
// CHECK: tinytc.trmm right u c unit %
tinytc.func @trmm(%x: f32, %A: !matrix, %B: !tinytc.memref<2x4xf32>, %b: !vector) {
  tinytc.trmm l n %x, %A, %b : f32, !matrix, !vector
  tinytc.trmm right u c unit %x, %A, %B : f32, !matrix, !tinytc.memref<2x4xf32>
}

// CHECK-LABEL: @qr
// CHECK: tinytc.qr %
// CHECK: tinytc.apply_q c %
// CHECK: tinytc.apply_q right n %
tinytc.func @qr(%A: !matrix, %tau: !vector, %b: !vector, %B: !tinytc.memref<2x4xf32>) {
  tinytc.qr %A, %tau : !matrix, !vector
  tinytc.apply_q c %A, %tau, %b : !matrix, !vector, !vector
  tinytc.apply_q right n %A, %tau, %B : !matrix, !vector, !tinytc.memref<2x4xf32>
}

// CHECK-LABEL: @eigh
// CHECK: tinytc.eigh l %{{.*}}, %{{.*}} : !tinytc.memref<4x4xf32>, !tinytc.memref<4xf32>{{$}}
// CHECK: tinytc.eigh u %{{.*}}, %{{.*}}, %{{.*}} : !tinytc.memref<?x?xcomplex<f32>>, !tinytc.memref<?xf32>, !tinytc.memref<i32>
tinytc.func @eigh(%A: !matrix, %w: !vector, %B: !tinytc.memref<?x?xcomplex<f32>>,
                  %v: !tinytc.memref<?xf32>, %info: !tinytc.memref<i32>) {
  tinytc.eigh l %A, %w : !matrix, !vector
  tinytc.eigh u %B, %v, %info
    : !tinytc.memref<?x?xcomplex<f32>>, !tinytc.memref<?xf32>, !tinytc.memref<i32>
}
