// RUN: tinytc-opt %s --prepare=abi=packed | FileCheck %s
// RUN: tinytc-opt %s --prepare | FileCheck %s --check-prefix=PLAIN

// A work-group of a small kernel runs several groups; the last parameter is their number.
// PLAIN-LABEL: tinytc.func @small(%{{[^,]*}}: !tinytc.memref<8x?xf32>)
//   PLAIN-NOT:   schedule
//   PLAIN-NOT:   tinytc.for
// PLAIN-LABEL: tinytc.func @grid
//   PLAIN-NOT:   tinytc.for
// PLAIN-LABEL: tinytc.func @local
// CHECK-LABEL: tinytc.func @small
//  CHECK-SAME:   (%[[A:[^:]*]]: !tinytc.memref<8x?xf32>, %[[NUM:[^:]*]]: index)
//  CHECK-SAME:   schedule = #tinytc.schedule<groups = [[G:[0-9]+]]>
//       CHECK:   %[[SHARE:.*]] = tinytc.constant [[G]] : index
//  CHECK-NEXT:   %[[ID:.*]] = tinytc.builtin.group_id : index
//  CHECK-NEXT:   %[[FROM:.*]] = tinytc.arith.mul %[[ID]], %[[SHARE]]
//  CHECK-NEXT:   %[[END:.*]] = tinytc.arith.add %[[FROM]], %[[SHARE]]
//  CHECK-NEXT:   %[[TO:.*]] = tinytc.arith.min %[[END]], %[[NUM]]
//  CHECK-NEXT:   tinytc.for %[[GROUP:.*]] = %[[FROM]], %[[TO]] {
//   CHECK-NOT:   group_id
//       CHECK:   tinytc.subview %[[A]][0:8, %[[GROUP]]]
//   CHECK-NOT:   group_size
//   CHECK-NOT:   barrier
tinytc.func @small(%A: !tinytc.memref<8x?xf32>) {
  %one = tinytc.constant 1.0 : f32
  %id = tinytc.builtin.group_id : index
  %a = tinytc.subview %A[0:8, %id] : !tinytc.memref<8x?xf32> -> !tinytc.memref<8xf32>
  tinytc.axpby n %one, %a, %one, %a
    : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// The groups of a work-group lie along x: what the kernel asks of y and z is the same
// for all of them.
// CHECK-LABEL: tinytc.func @grid
//  CHECK-SAME:   %[[NUM:[^:]*]]: index)
//       CHECK:   tinytc.for %[[GROUP:.*]] = %{{.*}}, %{{.*}} {
//       CHECK:   %[[Y:.*]] = tinytc.builtin.group_id y : index
//       CHECK:   %[[COUNT:.*]] = tinytc.builtin.group_size z : index
//       CHECK:   tinytc.store %{{.*}}, %{{.*}}[%[[GROUP]], %[[Y]], %[[NUM]], %[[COUNT]]]
tinytc.func @grid(%A: !tinytc.memref<?x?x?x?xf32>)
    attributes {schedule = #tinytc.schedule<groups = 4>} {
  %one = tinytc.constant 1.0 : f32
  %x = tinytc.builtin.group_id : index
  %y = tinytc.builtin.group_id y : index
  %n = tinytc.builtin.group_size : index
  %m = tinytc.builtin.group_size z : index
  tinytc.store %one, %A[%x, %y, %n, %m] : f32, !tinytc.memref<?x?x?x?xf32>
}

// Local memory is shared with the next group.
// CHECK-LABEL: tinytc.func @local
//       CHECK:   tinytc.for
//       CHECK:   tinytc.alloca
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier global local
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier local
//  CHECK-NEXT:   }
tinytc.func @local(%a: !tinytc.memref<8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  %b = tinytc.alloca : !tinytc.memref<8xf32, local>
  tinytc.axpby n %one, %a, %zero, %b
    : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32, local>
  tinytc.axpby n %one, %b, %one, %a
    : f32, !tinytc.memref<8xf32, local>, f32, !tinytc.memref<8xf32>
}

// A group of a large kernel has a work-group of its own.
// CHECK-LABEL: tinytc.func @large
//  CHECK-SAME:   (%{{[^,]*}}: !tinytc.memref<512x512xf32>)
//   CHECK-NOT:   tinytc.for
tinytc.func @large(%a: !tinytc.memref<512x512xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n %one, %a, %one, %a
    : f32, !tinytc.memref<512x512xf32>, f32, !tinytc.memref<512x512xf32>
}

// The schedule in the program is kept.
// PLAIN-LABEL: tinytc.func @given()
//  PLAIN-SAME:   schedule = #tinytc.schedule<rows = 2>
// CHECK-LABEL: tinytc.func @given
//  CHECK-SAME:   schedule = #tinytc.schedule<rows = 2, groups = 3>
//       CHECK:   tinytc.constant 3 : index
//       CHECK:   tinytc.for
tinytc.func @given() attributes {schedule = #tinytc.schedule<rows = 2, groups = 3>} {
}
