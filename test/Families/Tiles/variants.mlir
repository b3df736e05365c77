// RUN: tinytc-opt %s --lower-to-tile=variants | FileCheck %s

// The promise of alignment is one that a launch can check.
// CHECK-LABEL: tile.entry @copy(
// CHECK-NOT:     div_by<16>
// CHECK-LABEL: tile.entry @copy__aligned(
// CHECK-COUNT-2: tile.assume #tile.div_by<16>
tinytc.func @copy(%A: !tinytc.memref<8xf32>, %B: !tinytc.memref<8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %none = tinytc.constant 0.0 : f32
  tinytc.axpby n %one, %A, %none, %B : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// Members of groups are not known to a launch.
// CHECK-LABEL: tile.entry @negative_group(
// CHECK-NOT:     div_by<16>
// CHECK-NOT:   tile.entry @negative_group__aligned(
tinytc.func @negative_group(%G: !tinytc.group<!tinytc.memref<8xf32> x ?>) {
  %i = tinytc.builtin.group_id : index
  %A = tinytc.load %G[%i] : !tinytc.group<!tinytc.memref<8xf32> x ?>
  %two = tinytc.constant 2.0 : f32
  %none = tinytc.constant 0.0 : f32
  tinytc.axpby n %two, %A, %none, %A : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// CHECK-NOT:   tile.entry @negative_elements__aligned(
tinytc.func @negative_elements(%x: f32, %i: index, %A: !tinytc.memref<8xf32>) {
  tinytc.store %x, %A[%i] : f32, !tinytc.memref<8xf32>
}

// CHECK-NOT:   tile.entry @negative_known__aligned(
tinytc.func @negative_known(%A: !tinytc.memref<8xf32> {tinytc.alignment = 64 : i64}) {
  %two = tinytc.constant 2.0 : f32
  %none = tinytc.constant 0.0 : f32
  tinytc.axpby n %two, %A, %none, %A : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// A kernel of the variant's name keeps it.
// CHECK-LABEL: tile.entry @negative_taken(
// CHECK-LABEL: tile.entry @negative_taken__aligned(
// CHECK-SAME:    !tile.tile<i64>
// CHECK-NOT:   tile.entry
tinytc.func @negative_taken(%A: !tinytc.memref<8xf32>) {
  %two = tinytc.constant 2.0 : f32
  %none = tinytc.constant 0.0 : f32
  tinytc.axpby n %two, %A, %none, %A : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}
tinytc.func @negative_taken__aligned(%i: index) {
}
