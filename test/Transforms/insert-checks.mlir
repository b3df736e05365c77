// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target,tinytc-choose-work-group-size,tinytc.func(tinytc-insert-checks))' | FileCheck %s
// RUN: tinytc-opt %s --prepare=debug | FileCheck %s --check-prefix=PREPARE
// RUN: tinytc-opt %s --prepare | FileCheck %s --check-prefix=RELEASE
// RELEASE-NOT: tinytc.report

// The report buffer is the last parameter; a load that is out of bounds yields 0.
// PREPARE-LABEL: @load
//   PREPARE-NOT: @
//       PREPARE: tinytc.report
// CHECK-LABEL: @load
//  CHECK-SAME:   (%[[A:[^:]*]]: !tinytc.memref<?xf32>, %[[I:[^:]*]]: index, %[[BUFFER:[^:]*]]: !tinytc.memref<16xi64>)
//       CHECK:   %[[N:.*]] = tinytc.size %[[A]][0]
//       CHECK:   %[[OK:.*]] = arith.cmpi ult, %[[I]], %[[N]] : index
//       CHECK:   %[[X:.*]] = tinytc.if %[[OK]] -> (f32) {
//  CHECK-NEXT:     %[[Y:.*]] = tinytc.load %[[A]][%[[I]]]
//  CHECK-NEXT:     tinytc.yield %[[Y]]
//  CHECK-NEXT:   } else {
//  CHECK-NEXT:     %[[GROUP:.*]] = tinytc.builtin.group_id
//  CHECK-NEXT:     tinytc.report 0 "expected index 0 of 'a' to be at least 0 and less than {0}, got {1}"(%[[N]], %[[I]] : index, index) of %[[GROUP]] weight 1 to %[[BUFFER]]
//  CHECK-NEXT:     %[[ZERO:.*]] = tinytc.constant 0.0
//  CHECK-NEXT:     tinytc.yield %[[ZERO]]
//       CHECK:   tinytc.arith.neg %[[X]]
tinytc.func @load(%a: !tinytc.memref<?xf32>, %i: index) {
  %x = tinytc.load %a[%i] : !tinytc.memref<?xf32>
  %y = tinytc.arith.neg %x : f32
}

// Nothing is left to check: no parameter either.
// CHECK-LABEL: @negative_constants
//  CHECK-SAME:   (%{{[^:]*}}: !tinytc.memref<4x4xf32>, %{{[^:]*}}: i32)
//   CHECK-NOT:   tinytc.if
tinytc.func @negative_constants(%a: !tinytc.memref<4x4xf32>, %n: i32) {
  %c3 = tinytc.constant 3 : index
  %x = tinytc.load %a[%c3, %c3] : !tinytc.memref<4x4xf32>
  %b = tinytc.subview %a[1:2, 3] : !tinytc.memref<4x4xf32> -> !tinytc.memref<2xf32>
  tinytc.axpby n %x, %b, %x, %b
    : f32, !tinytc.memref<2xf32>, f32, !tinytc.memref<2xf32>
  %seven = tinytc.constant 7 : i32
  %q = tinytc.arith.div %n, %seven : i32
  tinytc.for %i : i32 = %n, %n, %seven {
  }
}

// In SPMD regions each violation counts: 16 stands for one work-item.
// CHECK-LABEL: @foreach
//       CHECK:   tinytc.foreach
//       CHECK:     tinytc.if
//  CHECK-NEXT:       tinytc.store atomic_add
//       CHECK:     } else {
//       CHECK:       tinytc.report 0 "{{.*}} weight 16 to
tinytc.func @foreach(%a: !tinytc.memref<?xf32>, %n: index, %x: f32)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  %c0 = tinytc.constant 0 : index
  tinytc.foreach (%i) = (%c0), (%n) {
    tinytc.store atomic_add %x, %a[%i] : f32, !tinytc.memref<?xf32>
  }
}

// A view is checked where it is accessed, an instruction only after its views.
// CHECK-LABEL: @view
//       CHECK:   tinytc.subview
//   CHECK-NOT:   tinytc.if
//       CHECK:   %[[SIZE:.*]] = arith.cmpi eq,
//       CHECK:   tinytc.if
//  CHECK-NEXT:     tinytc.axpby
//       CHECK:   } else {
//       CHECK:     tinytc.if
//       CHECK:         tinytc.if
//       CHECK:           tinytc.report 0 "expected mode 0 of 'a' to have the size of mode 0 of 'b' = 4, got {0}"
//       CHECK:         } else {
//       CHECK:           tinytc.report 1 "expected slice 0 of 'a' to be within 0:8, got offset {0} and size {1}"
//       CHECK:       } else {
//       CHECK:         tinytc.report 2 "expected size 0 of the subview to be positive, got {0}"
tinytc.func @view(%a: !tinytc.memref<8xf32>, %b: !tinytc.memref<4xf32>, %i: index,
                  %n: index, %x: f32) {
  %c = tinytc.subview %a[%i:%n] : !tinytc.memref<8xf32> -> !tinytc.memref<?xf32>
  tinytc.axpby n %x, %c, %x, %b
    : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<4xf32>
}

// The first member takes the place of one that is missing, but nothing accesses it.
// CHECK-LABEL: @group
//       CHECK:   %[[OK:.*]] = arith.cmpi ult
//       CHECK:   %[[INDEX:.*]] = tinytc.if %[[OK]] -> (index) {
//       CHECK:     tinytc.report 0
//       CHECK:   %[[A:.*]] = tinytc.load %{{.*}}[%[[INDEX]]]
//       CHECK:   tinytc.if %[[OK]] {
//  CHECK-NEXT:     tinytc.store %{{.*}}, %[[A]][
//   CHECK-NOT:     tinytc.report
//       CHECK:   }
tinytc.func @group(%g: !tinytc.group<!tinytc.memref<f32> x ?>, %i: index, %x: f32) {
  %a = tinytc.load %g[%i] : !tinytc.group<!tinytc.memref<f32> x ?>
  tinytc.store %x, %a[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @scalars
//       CHECK:   tinytc.is_divisible %{{.*}}, %{{.*}} : i32
//       CHECK:     tinytc.arith.rem
//       CHECK:   tinytc.is_convertible %{{.*}} to i8 : f32
//       CHECK:     tinytc.cast
//       CHECK:   %[[RANGE:.*]]:2 = tinytc.if %{{.*}} -> (i32, i32) {
//       CHECK:   tinytc.for %{{.*}} : i32 = %{{.*}}, %[[RANGE]]#0, %[[RANGE]]#1
tinytc.func @scalars(%a: i32, %b: i32, %x: f32) {
  %q = tinytc.arith.rem %a, %b : i32
  %c = tinytc.cast %x : f32 -> i8
  tinytc.for %i : i32 = %a, %b, %b {
  }
}

// CHECK-LABEL: @fuse
//       CHECK:   tinytc.stride %{{.*}}[1]
tinytc.func @fuse(%a: !tinytc.memref<4x?xf32, strided<1,?>>, %x: f32) {
  %b = tinytc.fuse %a[0, 1] : !tinytc.memref<4x?xf32, strided<1,?>> -> !tinytc.memref<?xf32>
  tinytc.axpby n %x, %b, %x, %b
    : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// CHECK-LABEL: @atomic
//       CHECK:   tinytc.if %{{.*}} -> (f32) {
//       CHECK:     tinytc.atomic_add device
//       CHECK:   tinytc.report
//       CHECK:   tinytc.parallel {
//       CHECK:     tinytc.if %{{.*}} {
//       CHECK:       tinytc.cooperative_matrix_atomic_store t rows_checked
//       CHECK:     tinytc.report {{.*}}"expected mode 0 of 'b' to have the 4 elements of the block
tinytc.func @atomic(%a: !tinytc.memref<?xf32>, %b: !tinytc.memref<?x?xf32> loc("b"), %i: index,
                    %x: f32) {
  %0 = tinytc.atomic_add device %x, %a[%i] : f32, !tinytc.memref<?xf32>
  tinytc.parallel {
    %m = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    tinytc.cooperative_matrix_atomic_store t rows_checked %m, %b[%i, %i]
      : !tinytc.coopmatrix<8x4xf32, matrix_acc>, !tinytc.memref<?x?xf32>
  }
}
