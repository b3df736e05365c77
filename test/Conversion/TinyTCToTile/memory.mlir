// RUN: tinytc-opt %s --lower-to-tile | FileCheck %s

// A member of a group is a pointer that is loaded as an integer.
// CHECK-LABEL: tile.entry @group(
// CHECK-SAME:    %[[G:.*]]: !tile.tile<!tile.ptr<i64>>, %{{.*}}: !tile.tile<i64>, %{{.*}}: !tile.tile<f32>
// CHECK:         %[[ID:.*]], %{{.*}}, %{{.*}} = tile.get_tile_block_id
// CHECK:         %[[I:.*]] = tile.exti %[[ID]] unsigned
// CHECK:         %[[P:.*]] = tile.offset %[[G]], %[[I]]
// CHECK:         %[[ADDRESS:.*]], %{{.*}} = tile.load_ptr_tko weak %[[P]]
// CHECK:         tile.int_to_ptr %[[ADDRESS]]
// CHECK:         tile.store_ptr_tko weak
tinytc.func @group(%G: !tinytc.group<!tinytc.memref<4xf32> x ?, offset: 5>, %x: f32) {
  %i = tinytc.builtin.group_id : index
  %A = tinytc.load %G[%i] : !tinytc.group<!tinytc.memref<4xf32> x ?, offset: 5>
  %c3 = tinytc.constant 3 : index
  tinytc.store %x, %A[%c3] : f32, !tinytc.memref<4xf32>
}

// Local memory is a value: nothing is stored, and loops carry it.
// CHECK-LABEL: tile.entry @local(
// CHECK:         %[[L:.*]] = tile.constant dense<0.000000e+00> : !tile.tile<4xf32>
// CHECK:         %{{.*}}:2 = tile.for
// CHECK-SAME:      !tile.token, !tile.tile<4xf32> -> !tile.token, !tile.tile<4xf32>
// CHECK:           tile.select
// CHECK:         tile.store_view_tko
// CHECK-NOT:     tile.store
tinytc.func @local(%x: f32, %n: index, %A: !tinytc.memref<3xf32>) {
  %zero = tinytc.constant 0 : index
  %one = tinytc.constant 1.0 : f32
  %none = tinytc.constant 0.0 : f32
  %L = tinytc.alloca : !tinytc.memref<3xf32, local>
  tinytc.for %i = %zero, %n {
    tinytc.store %x, %L[%i] : f32, !tinytc.memref<3xf32, local>
  }
  tinytc.axpby n %one, %L, %none, %A
    : f32, !tinytc.memref<3xf32, local>, f32, !tinytc.memref<3xf32>
}

// The strides of a view keep what they divide.
// CHECK-LABEL: tile.entry @promise(
// CHECK:         tile.assume #tile.div_by<64>
// CHECK:         tile.assume #tile.div_by<4>, %{{.*}} : !tile.tile<i64>
// CHECK:         tile.offset
// CHECK:         tile.assume #tile.div_by<32>
tinytc.func @promise(%x: f32, %i: index,
    %A: !tinytc.memref<8x?xf32> {tinytc.alignment = 64 : i64,
                                 tinytc.shape_gcd = array<i64: 1, 4>}) {
  %V = tinytc.subview %A[0:8, %i] : !tinytc.memref<8x?xf32> -> !tinytc.memref<8xf32>
  %n = tinytc.size %A[1] : !tinytc.memref<8x?xf32>
  tinytc.store %x, %V[%n] : f32, !tinytc.memref<8xf32>
}

// A sum over local memory alone has nothing to order.
// CHECK-LABEL: tile.entry @local_sum(
// CHECK:         tile.for
// CHECK:           tile.mmaf
// CHECK-NEXT:      tile.continue
tinytc.func @local_sum(%C: !tinytc.memref<4x4xf32>) {
  %one = tinytc.constant 1.0 : f32
  %none = tinytc.constant 0.0 : f32
  %A = tinytc.alloca : !tinytc.memref<4x64xf32, local>
  tinytc.gemm n t %one, %A, %A, %none, %C
    : f32, !tinytc.memref<4x64xf32, local>, !tinytc.memref<4x64xf32, local>, f32,
      !tinytc.memref<4x4xf32>
}

// Integers are not divided ahead of a condition: the division has no effect all the same.
// CHECK-LABEL: tile.entry @divide(
// CHECK:         tile.divi %{{.*}}, %{{.*}} signed
// CHECK:         tile.remi %{{.*}}, %{{.*}} signed
tinytc.func @divide(%a: i32, %b: i32, %A: !tinytc.memref<i32>) {
  %0 = tinytc.arith.div %a, %b : i32
  %1 = tinytc.arith.rem %0, %b : i32
  tinytc.store %1, %A[] : i32, !tinytc.memref<i32>
}

// A window of local memory is cut out at multiples of its offset, and written by a
// select.
// CHECK-LABEL: tile.entry @window(
// CHECK:         %[[WHOLE:.*]] = tile.mulf
// CHECK-DAG:     %[[A:.*]] = tile.extract %[[WHOLE]][%{{.*}}] : !tile.tile<8xf32> -> !tile.tile<2xf32>
// CHECK-DAG:     %[[B:.*]] = tile.extract %[[WHOLE]][%{{.*}}] : !tile.tile<8xf32> -> !tile.tile<2xf32>
// CHECK:         tile.cat %[[A]], %[[B]]
// CHECK-SAME:      -> !tile.tile<4xf32>
// CHECK:         tile.select %{{.*}}, %{{.*}}, %[[WHOLE]]
tinytc.func @window(%x: f32, %A: !tinytc.memref<8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %none = tinytc.constant 0.0 : f32
  %L = tinytc.alloca : !tinytc.memref<8xf32, local>
  tinytc.axpby n %x, %A, %none, %L
    : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32, local>
  %W = tinytc.subview %L[2:4] : !tinytc.memref<8xf32, local> -> !tinytc.memref<4xf32, local>
  tinytc.axpby n %x, %W, %none, %W
    : f32, !tinytc.memref<4xf32, local>, f32, !tinytc.memref<4xf32, local>
  tinytc.axpby n %one, %L, %none, %A
    : f32, !tinytc.memref<8xf32, local>, f32, !tinytc.memref<8xf32>
}
