// RUN: tinytc-opt %s --tinytc-adjoint | FileCheck %s

// Each group has arrays of its own but for the matrix and the factor: these have partial
// sums, which a second kernel adds up.
// CHECK-LABEL: @shared(
// CHECK-LABEL: @shared_vjp(
//  CHECK-SAME:   %[[A_P:[^:]*]]: !tinytc.memref<?xf32>, %[[M_P:[^:]*]]: !tinytc.memref<8x8x?xf32>, %[[Q_A:[^:]*]]: !tinytc.memref<8x?xf32>, %[[R_A:[^:]*]]: !tinytc.memref<8x?xf32>)
//       CHECK:   %[[GROUP:.*]] = tinytc.builtin.group_id
//       CHECK:   %[[PARTIAL:.*]] = tinytc.subview %[[M_P]][0:8, 0:8, %[[GROUP]]]
//       CHECK:   tinytc.store %{{.*}}, %[[PARTIAL]]
//       CHECK:   tinytc.ger %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[PARTIAL]]
// CHECK-LABEL: @shared_vjp_sum(
//  CHECK-SAME:   %[[A_P:[^:]*]]: !tinytc.memref<?xf32>, %[[A_A:[^:]*]]: !tinytc.memref<f32>, %[[M_P:[^:]*]]: !tinytc.memref<8x8x?xf32>, %[[M_A:[^:]*]]: !tinytc.memref<8x8xf32>)
//       CHECK:   %[[GROUP:.*]] = tinytc.builtin.group_id
//       CHECK:   %[[IS_FIRST:.*]] = tinytc.cmp.lt %[[GROUP]]
//       CHECK:   tinytc.if %[[IS_FIRST]]
//       CHECK:     tinytc.sum n %{{.*}}, %[[A_P]], %{{.*}}, %[[A_A]]
//       CHECK:   %[[IS_COLUMN:.*]] = tinytc.cmp.lt %[[GROUP]]
//       CHECK:   tinytc.if %[[IS_COLUMN]]
//   CHECK-DAG:     %[[LINES:.*]] = tinytc.subview %[[M_P]][0:8, %[[GROUP]], 0:%{{.*}}]
//   CHECK-DAG:     %[[LINE:.*]] = tinytc.subview %[[M_A]][0:8, %[[GROUP]]]
//       CHECK:     tinytc.sum n %{{.*}}, %[[LINES]], %{{.*}}, %[[LINE]]
tinytc.func @shared(%alpha: f32, %M: !tinytc.memref<8x8xf32>,
                    %Q: !tinytc.memref<8x?xf32>, %R: !tinytc.memref<8x?xf32>) {
  %one = tinytc.constant 1.0 : f32
  %g = tinytc.builtin.group_id : index
  %q = tinytc.subview %Q[0:8, %g] : !tinytc.memref<8x?xf32> -> !tinytc.memref<8xf32>
  %r = tinytc.subview %R[0:8, %g] : !tinytc.memref<8x?xf32> -> !tinytc.memref<8xf32>
  tinytc.gemv n %alpha, %M, %q, %one, %r
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// Of an array that is not packed, a group adds up an entry of the last mode, element by
// element.
// CHECK-LABEL: @strided_vjp_sum(
//       CHECK:   %[[COLUMN:.*]] = tinytc.builtin.group_id
//       CHECK:   tinytc.subview %{{.*}}[0:4, 0:3, %[[COLUMN]], 0:%{{.*}}]
//       CHECK:   tinytc.foreach (%[[I:.*]], %[[J:.*]]) =
//       CHECK:     tinytc.for %[[GROUP:[^ ]*]] =
//       CHECK:       tinytc.load %{{.*}}[%[[I]], %[[J]], %[[GROUP]]]
tinytc.func @strided(%M: !tinytc.memref<4x3x2xf32, strided<1,5,15>>,
                     %G: !tinytc.group<!tinytc.memref<4x3xf32> x ?>) {
  %one = tinytc.constant 1.0 : f32
  %c1 = tinytc.constant 1 : index
  %g = tinytc.builtin.group_id : index
  %m = tinytc.subview %M[0:4, 0:3, %c1]
    : !tinytc.memref<4x3x2xf32, strided<1,5,15>> -> !tinytc.memref<4x3xf32, strided<1,5>>
  %r = tinytc.load %G[%g] : !tinytc.group<!tinytc.memref<4x3xf32> x ?>
  tinytc.axpby n %one, %m, %one, %r
    : f32, !tinytc.memref<4x3xf32, strided<1,5>>, f32, !tinytc.memref<4x3xf32>
}

// All groups read one vector of the array, and each writes another one: no partial sums, as
// the adjoint of the array is read, too, but atomic ones.
// CHECK-LABEL: @written_elsewhere_vjp(
//  CHECK-SAME:   %[[A_A:[^:]*]]: !tinytc.memref<4x9xf32>)
//       CHECK:   %[[COMMON:.*]] = tinytc.subview %[[A_A]][0:4, 0]
//       CHECK:   tinytc.axpby n atomic %{{.*}}, %{{.*}}, %{{.*}}, %[[COMMON]]
tinytc.func @written_elsewhere(%A: !tinytc.memref<4x9xf32>) {
  %one = tinytc.constant 1.0 : f32
  %c1 = tinytc.constant 1 : index
  %g = tinytc.builtin.group_id : index
  %own = tinytc.arith.add %g, %c1 : index
  %common = tinytc.subview %A[0:4, 0] : !tinytc.memref<4x9xf32> -> !tinytc.memref<4xf32>
  %a = tinytc.subview %A[0:4, %own] : !tinytc.memref<4x9xf32> -> !tinytc.memref<4xf32>
  tinytc.axpby n %one, %common, %one, %a
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// In a grid of two modes, partial sums have both, and what each group has of its own none.
// CHECK-LABEL: @grid_vjp(
//  CHECK-SAME:   %[[A_P:[^:]*]]: !tinytc.memref<?x?xf32>, %[[Q_A:[^:]*]]: !tinytc.memref<8x?x?xf32>)
//   CHECK-DAG:   %[[X:.*]] = tinytc.builtin.group_id : index
//   CHECK-DAG:   %[[Y:.*]] = tinytc.builtin.group_id y : index
//       CHECK:   tinytc.subview %[[Q_A]][0:8, %[[X]], %[[Y]]]
//   CHECK-NOT:   atomic
// CHECK-LABEL: @grid_vjp_sum(
//  CHECK-SAME:   %[[A_P:[^:]*]]: !tinytc.memref<?xf32>, %[[A_A:[^:]*]]: !tinytc.memref<f32>)
tinytc.func @grid(%alpha: f32, %Q: !tinytc.memref<8x?x?xf32>) {
  %x = tinytc.builtin.group_id : index
  %y = tinytc.builtin.group_id y : index
  %q = tinytc.subview %Q[0:8, %x, %y] : !tinytc.memref<8x?x?xf32> -> !tinytc.memref<8xf32>
  tinytc.axpby n %alpha, %q, %alpha, %q
    : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}
