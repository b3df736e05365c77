// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s

// Where parameters promise divisors of their sizes, loops leave no remainder.

module attributes {tinytc.target = #tinytc.target<
    name = "cpu", family = cpu, subgroup_sizes = [4, 8, 16, 32, 64], max_work_group_size = 8192,
    local_memory_bytes = 262144, f64 = true, vector_bytes = 32>} {

// Rows and columns are multiples of the tiles: one loop over the sum.
// CHECK-LABEL: gpu.func @multiples
//   CHECK-NOT:   scf.if
//       CHECK:   :12 = scf.for
//   CHECK-NOT:   scf.for
//   CHECK-NOT:   scf.if
//       CHECK:   gpu.return
tinytc.func @multiples(
    %a: !tinytc.memref<?x?xf32>, %b: !tinytc.memref<?x?xf32>,
    %c: !tinytc.memref<?x?xf32> {tinytc.shape_gcd = array<i64: 64, 6>}) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<?x?xf32>, !tinytc.memref<?x?xf32>, f32,
      !tinytc.memref<?x?xf32>
}

// Rows are multiples of the lanes, so the remaining rows fill them. There are either no columns
// or enough for a tile, so the last tile can overlap another.
// CHECK-LABEL: gpu.func @enough
//   CHECK-NOT:   scf.if
//       CHECK:   :12 = scf.for
//       CHECK:   :3 = scf.for
//   CHECK-NOT:   scf.for
//   CHECK-NOT:   scf.if
//       CHECK:   gpu.return
tinytc.func @enough(
    %a: !tinytc.memref<?x?xf32>, %b: !tinytc.memref<?x?xf32>,
    %c: !tinytc.memref<?x?xf32> {tinytc.shape_gcd = array<i64: 8, 4>}) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<?x?xf32>, !tinytc.memref<?x?xf32>, f32,
      !tinytc.memref<?x?xf32>
}

// A promise carries over to views, products and differences.
// CHECK-LABEL: gpu.func @views
//   CHECK-NOT:   scf.if
//       CHECK:   gpu.return
tinytc.func @views(
    %a: !tinytc.memref<?x?x?xf32> {tinytc.shape_gcd = array<i64: 4, 8>},
    %n: index) {
  %one = tinytc.constant 1.0 : f32
  %from = tinytc.constant 16 : index
  %0 = tinytc.fuse %a[0, 1] : !tinytc.memref<?x?x?xf32> -> !tinytc.memref<?x?xf32>
  %1 = tinytc.size %0[0] : !tinytc.memref<?x?xf32>
  %2 = tinytc.arith.sub %1, %from : index
  %4 = tinytc.subview %0[%from : %2, %n] : !tinytc.memref<?x?xf32> -> !tinytc.memref<?xf32>
  tinytc.axpby n %one, %4, %one, %4 : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// It also carries over to the members of a group.
// CHECK-LABEL: gpu.func @members
//   CHECK-NOT:   scf.if
//       CHECK:   gpu.return
tinytc.func @members(
    %a: !tinytc.group<!tinytc.memref<?xf32> x ?> {tinytc.shape_gcd = array<i64: 32>},
    %n: index) {
  %one = tinytc.constant 1.0 : f32
  %0 = tinytc.load %a[%n] : !tinytc.group<!tinytc.memref<?xf32> x ?>
  tinytc.axpby n %one, %0, %one, %0 : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// Without a promise there is a remainder.
// CHECK-LABEL: gpu.func @negative_unknown
//       CHECK:   scf.if
//       CHECK:   gpu.return
tinytc.func @negative_unknown(%a: !tinytc.memref<?xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n %one, %a, %one, %a : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// A divisor smaller than a tile does not help.
// CHECK-LABEL: gpu.func @negative_small
//       CHECK:   scf.if
//       CHECK:   gpu.return
tinytc.func @negative_small(
    %a: !tinytc.memref<?xf32> {tinytc.shape_gcd = array<i64: 3>}) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n %one, %a, %one, %a : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// It says nothing about the number of members.
// CHECK-LABEL: gpu.func @negative_number_of_members
//       CHECK:   scf.if
//       CHECK:   gpu.return
tinytc.func @negative_number_of_members(
    %a: !tinytc.group<!tinytc.memref<?xf32> x ?> {tinytc.shape_gcd = array<i64: 32>},
    %b: !tinytc.memref<64xf32>) {
  %one = tinytc.constant 1.0 : f32
  %from = tinytc.constant 0 : index
  %0 = tinytc.size %a[0] : !tinytc.group<!tinytc.memref<?xf32> x ?>
  %1 = tinytc.subview %b[%from : %0] : !tinytc.memref<64xf32> -> !tinytc.memref<?xf32>
  tinytc.axpby n %one, %1, %one, %1 : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}
}
