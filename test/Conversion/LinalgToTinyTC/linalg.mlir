// RUN: tinytc-opt %s --tinytc-raise-linalg --split-input-file | FileCheck %s

// Row-major: C' = B' A'.
// CHECK-LABEL: tinytc.func @matmul(
//  CHECK-SAME:   %[[A:[^:]*]]: !tinytc.memref<7x5xf32> {tinytc.modes = array<i64: 1, 0>, tinytc.name = "A"},
//  CHECK-SAME:   %[[B:[^:]*]]: !tinytc.memref<3x7xf32> {tinytc.modes = array<i64: 1, 0>},
//  CHECK-SAME:   %[[C:[^:]*]]: !tinytc.memref<3x5xf32>
//       CHECK:   tinytc.gemm n n %{{.*}}, %[[B]], %[[A]], %{{.*}}, %[[C]]
func.func @matmul(%A: memref<5x7xf32> {tinytc.name = "A"}, %B: memref<7x3xf32>, %C: memref<5x3xf32>) {
  linalg.matmul ins(%A, %B : memref<5x7xf32>, memref<7x3xf32>) outs(%C : memref<5x3xf32>)
  return
}

// -----

// CHECK-LABEL: tinytc.func @column_major(
//  CHECK-SAME:   %[[A:[^:]*]]: !tinytc.memref<5x7xf32>, %[[B:[^:]*]]: !tinytc.memref<3x7xf32> {tinytc.modes = array<i64: 1, 0>},
//  CHECK-SAME:   %[[C:[^:]*]]: !tinytc.memref<5x3xf32>)
//       CHECK:   tinytc.gemm n t %{{.*}}, %[[A]], %[[B]], %{{.*}}, %[[C]]
func.func @column_major(%A: memref<5x7xf32, strided<[1, 5]>>, %B: memref<7x3xf32>,
                        %C: memref<5x3xf32, strided<[1, 5]>>) {
  linalg.matmul ins(%A, %B : memref<5x7xf32, strided<[1, 5]>>, memref<7x3xf32>)
                outs(%C : memref<5x3xf32, strided<[1, 5]>>)
  return
}

// -----

#a = affine_map<(i, j, k) -> (k, i)>
#b = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: tinytc.func @transposed
//       CHECK:   tinytc.gemm t t
func.func @transposed(%A: memref<7x5xf64>, %B: memref<3x7xf64>, %C: memref<5x3xf64>) {
  linalg.matmul indexing_maps = [#a, #b, #c]
    ins(%A, %B : memref<7x5xf64>, memref<3x7xf64>) outs(%C : memref<5x3xf64>)
  return
}

// -----

#a = affine_map<(i, j, k) -> (k, i)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: tinytc.func @conjugated(
//       CHECK:   tinytc.gemm n c %{{.*}}, %arg1, %arg0,
//       CHECK:   tinytc.gemv c %{{.*}}, %{{.*}}, %arg4,
func.func @conjugated(%A: memref<7x5xcomplex<f32>>, %B: memref<7x3xcomplex<f32>>,
                      %C: memref<5x3xcomplex<f32>>, %x: memref<7xcomplex<f32>>,
                      %y: memref<7xcomplex<f32>>, %z: memref<complex<f32>>) {
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<7x5xcomplex<f32>>, memref<7x3xcomplex<f32>>)
      outs(%C : memref<5x3xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    %conjugate = complex.conj %a : complex<f32>
    %product = complex.mul %conjugate, %b : complex<f32>
    %sum = complex.add %c, %product : complex<f32>
    linalg.yield %sum : complex<f32>
  }
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%y, %x : memref<7xcomplex<f32>>, memref<7xcomplex<f32>>)
      outs(%z : memref<complex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    %conjugate = complex.conj %b : complex<f32>
    %product = complex.mul %a, %conjugate : complex<f32>
    %sum = complex.add %c, %product : complex<f32>
    linalg.yield %sum : complex<f32>
  }
  return
}

// -----

// The batch is the group; the fill belongs to it.
// CHECK-LABEL: tinytc.func @batch(
//       CHECK:   %[[G:.*]] = tinytc.builtin.group_id
//       CHECK:   tinytc.subview %{{.*}}[0:3, 0:5, %[[G]]]
//       CHECK:   tinytc.foreach (%{{.*}}, %{{.*}}) =
//       CHECK:   tinytc.gemm n n
func.func @batch(%A: memref<?x5x7xf32>, %B: memref<?x7x3xf32>, %C: memref<?x5x3xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x5x3xf32>)
  linalg.batch_matmul ins(%A, %B : memref<?x5x7xf32>, memref<?x7x3xf32>)
                      outs(%C : memref<?x5x3xf32>)
  return
}

// -----

// The members of an op are as many as those of one that shares a memref with it.
// CHECK-LABEL: tinytc.func @joined(
//       CHECK:   group_id
func.func @joined(%A: memref<?x4x4xf32>, %B: memref<?x4x4xf32>, %C: memref<?x4x4xf32>,
                  %D: memref<6x4x4xf32>, %E: memref<6x4x4xf32>) {
  linalg.batch_matmul ins(%A, %B : memref<?x4x4xf32>, memref<?x4x4xf32>) outs(%C : memref<?x4x4xf32>)
  linalg.batch_matmul ins(%A, %D : memref<?x4x4xf32>, memref<6x4x4xf32>) outs(%E : memref<6x4x4xf32>)
  return
}

// -----

// CHECK-LABEL: tinytc.func @negative_unknown_sizes(
//   CHECK-NOT:   group_id
func.func @negative_unknown_sizes(%A: memref<?x4x4xf32>, %B: memref<?x4x4xf32>, %C: memref<?x4x4xf32>,
                                  %D: memref<?x4x4xf32>, %E: memref<?x4x4xf32>, %F: memref<?x4x4xf32>) {
  linalg.batch_matmul ins(%A, %B : memref<?x4x4xf32>, memref<?x4x4xf32>) outs(%C : memref<?x4x4xf32>)
  linalg.batch_matmul ins(%D, %E : memref<?x4x4xf32>, memref<?x4x4xf32>) outs(%F : memref<?x4x4xf32>)
  return
}

// -----

// A member is read that another group writes.
// CHECK-LABEL: tinytc.func @negative_batch(
//   CHECK-NOT:   group_id
func.func @negative_batch(%A: memref<4x5x5xf32>, %C: memref<4x5x5xf32>) {
  %c = memref.subview %C[0, 0, 0] [1, 5, 5] [1, 1, 1]
    : memref<4x5x5xf32> to memref<5x5xf32, strided<[5, 1]>>
  linalg.batch_matmul ins(%A, %A : memref<4x5x5xf32>, memref<4x5x5xf32>)
                      outs(%C : memref<4x5x5xf32>)
  linalg.copy ins(%c : memref<5x5xf32, strided<[5, 1]>>) outs(%c : memref<5x5xf32, strided<[5, 1]>>)
  return
}

// -----

// CHECK-LABEL: tinytc.func @forall(
//       CHECK:   %[[G:.*]] = tinytc.builtin.group_id
//       CHECK:   tinytc.subview %{{.*}}[0:5, 0:5, %[[G]]]
//       CHECK:   tinytc.gemv t
func.func @forall(%A: memref<?x5x5xf32>, %x: memref<5xf32>, %y: memref<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x5x5xf32>
  scf.forall (%b) in (%n) {
    %a = memref.subview %A[%b, 0, 0] [1, 5, 5] [1, 1, 1]
      : memref<?x5x5xf32> to memref<5x5xf32, strided<[5, 1], offset: ?>>
    %r = memref.subview %y[%b, 0] [1, 5] [1, 1]
      : memref<?x5xf32> to memref<5xf32, strided<[1], offset: ?>>
    linalg.matvec ins(%a, %x : memref<5x5xf32, strided<[5, 1], offset: ?>>, memref<5xf32>)
                  outs(%r : memref<5xf32, strided<[1], offset: ?>>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

// Groups beyond the loop do nothing.
// CHECK-LABEL: tinytc.func @forall_of_scalar(
//       CHECK:   %[[G:.*]] = tinytc.builtin.group_id
//       CHECK:   %[[IS:.*]] = tinytc.cmp.lt %[[G]], %arg1
//       CHECK:   tinytc.if %[[IS]] {
//       CHECK:     tinytc.foreach (%{{.*}}) = (%{{.*}}), (%{{.*}})
//       CHECK:       tinytc.store
func.func @forall_of_scalar(%A: memref<?xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  scf.forall (%b) in (%n) {
    memref.store %one, %A[%b] : memref<?xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

// Additions are instructions, also of products of narrower types.
// CHECK-LABEL: tinytc.func @sums(
//       CHECK:   tinytc.sum n %{{.*}}, %arg0, %{{.*}}, %arg1 : f32,
//       CHECK:   tinytc.sum t %{{.*}}, %arg0, %{{.*}}, %arg2 : f32,
//       CHECK:   tinytc.sum n %{{.*}}, %arg1, %{{.*}}, %arg3 : f32,
func.func @sums(%A: memref<5x7xf32>, %b: memref<7xf32>, %c: memref<5xf32>, %d: memref<f32>) {
  linalg.reduce {arith.addf} ins(%A : memref<5x7xf32>) outs(%b : memref<7xf32>) dimensions = [0]
  linalg.reduce {arith.addf} ins(%A : memref<5x7xf32>) outs(%c : memref<5xf32>) dimensions = [1]
  linalg.reduce {arith.addf} ins(%b : memref<7xf32>) outs(%d : memref<f32>) dimensions = [0]
  return
}

// -----

// CHECK-LABEL: tinytc.func @narrow(
//       CHECK:   tinytc.gemm n n %{{.*}}, %arg1, %arg0, %{{.*}}, %arg2 : i8, !tinytc.memref<3x7xi8>, !tinytc.memref<7x5xi8>, i32,
//       CHECK:   tinytc.gemv t %{{.*}}, %arg3, %arg4, %{{.*}}, %arg5 : f16, !tinytc.memref<7x5xf16>, !tinytc.memref<7xf32>, f32,
func.func @narrow(%A: memref<5x7xi8>, %B: memref<7x3xi8>, %C: memref<5x3xi32>,
                  %D: memref<5x7xf16>, %x: memref<7xf32>, %y: memref<5xf32>) {
  linalg.matmul ins(%A, %B : memref<5x7xi8>, memref<7x3xi8>) outs(%C : memref<5x3xi32>)
  linalg.matvec ins(%D, %x : memref<5x7xf16>, memref<7xf32>) outs(%y : memref<5xf32>)
  return
}

// -----

// A product with a matrix of one column, so that lanes lie along the sum.
// CHECK-LABEL: tinytc.func @dot(
//       CHECK:   %[[A:.*]] = tinytc.expand %arg0[0 -> %{{.*}} by 1] : !tinytc.memref<?xf32> -> !tinytc.memref<?x1xf32
//       CHECK:   %[[SUM:.*]] = tinytc.alloca : !tinytc.memref<1xf32, local>
//       CHECK:   tinytc.gemv t %{{.*}}, %[[A]], %arg1, %{{.*}}, %[[SUM]]
//       CHECK:   tinytc.sum n %{{.*}}, %[[SUM]], %{{.*}}, %arg2
func.func @dot(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<f32>) {
  linalg.dot ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%c : memref<f32>)
  return
}

// -----

// Loops that do not index the output are inside, lanes are along the last dimension.
// CHECK-LABEL: tinytc.func @reduce(
//       CHECK:   tinytc.foreach (%[[J:.*]]) = (%{{.*}}), (%[[N:.*]])
//       CHECK:     %[[OLD:.*]] = tinytc.load %arg1[%[[J]]]
//       CHECK:     %[[MAX:.*]] = tinytc.for %[[I:.*]] = {{.*}} init(%[[X:.*]] = %[[OLD]]) -> (f32)
//       CHECK:       %[[A:.*]] = tinytc.load %arg0[%[[J]], %[[I]]]
//       CHECK:       tinytc.maximum
//       CHECK:     tinytc.store %[[MAX]], %arg1[%[[J]]]
func.func @reduce(%A: memref<5x?xf32>, %b: memref<?xf32>) {
  linalg.reduce ins(%A : memref<5x?xf32>) outs(%b : memref<?xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %s = arith.maximumf %in, %acc : f32
      linalg.yield %s : f32
    }
  return
}

// -----

// CHECK-LABEL: tinytc.func @memory(
//       CHECK:   tinytc.alloca : !tinytc.memref<3x4xf32, local>
//       CHECK:   tinytc.expand %{{.*}}[0 -> 3 by 4] : !tinytc.memref<12xf32> -> !tinytc.memref<3x4xf32>
//       CHECK:   tinytc.fuse %{{.*}}[0, 1] : !tinytc.memref<3x4xf32, local> -> !tinytc.memref<12xf32, local>
//       CHECK:   tinytc.size %arg1[1]
func.func @memory(%A: memref<12xf32>, %B: memref<?x4xf32>) -> () {
  %t = memref.alloca() : memref<4x3xf32>
  %a = memref.expand_shape %A [[0, 1]] output_shape [4, 3] : memref<12xf32> into memref<4x3xf32>
  memref.copy %a, %t : memref<4x3xf32> to memref<4x3xf32>
  %f = memref.collapse_shape %t [[0, 1]] : memref<4x3xf32> into memref<12xf32>
  linalg.exp ins(%f : memref<12xf32>) outs(%A : memref<12xf32>)
  %c0 = arith.constant 0 : index
  %n = memref.dim %B, %c0 : memref<?x4xf32>
  %b = memref.transpose %B (i, j) -> (j, i) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %n {
    memref.store %one, %b[%c0, %i] : memref<4x?xf32, strided<[1, 4]>>
  }
  return
}
