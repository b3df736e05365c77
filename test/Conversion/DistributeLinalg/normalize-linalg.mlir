// RUN: tinytc-opt %s --tinytc-normalize-linalg --tinytc-choose-strategies \
// RUN:   --tinytc-distribute-linalg | FileCheck %s

// What upstream's transformations make of the linalg stage.

#id = affine_map<(d0) -> (d0)>
#line = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#second = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0) -> ()>
!sum = memref<16xf32, #gpu.address_space<private>>
!part = memref<8xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
!matrix = memref<16x6xf32, strided<[1, 16]>>
!piece = memref<8x6xf32, strided<[1, 16], offset: ?>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// A generalized fill, interchanged loops and a specialized update are still one sum in
// registers.
// CHECK-LABEL: @other_spellings
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   gpu.barrier
//       CHECK:   %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %cst)
//       CHECK:     memref.load %arg0
//       CHECK:     arith.addf
//       CHECK:   memref.store %[[SUM]], %arg1
func.func @other_spellings(%a: !matrix, %b: memref<16xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !sum
  linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%sum : !sum) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#swapped, #second],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : !matrix) outs(%sum : !sum) {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %old, %x : f32
    linalg.yield %next : f32
  }
  linalg.copy ins(%sum : !sum) outs(%b : memref<16xf32>)
  return
}

// A sum in parts: each is one in registers, which is added to local memory.
// CHECK-LABEL: @tiled
//       CHECK:   memref.alloc() {alignment = 128 : i64} : memref<64xi8, #gpu.address_space<workgroup>>
//       CHECK:   %[[SUM:.*]] = memref.reinterpret_cast
//       CHECK:   gpu.barrier
//       CHECK:   memref.store %cst, %[[SUM]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.for
//       CHECK:     %[[PART:.*]] = memref.subview %[[SUM]]{{.*}} #gpu.address_space<workgroup>>
//       CHECK:     gpu.barrier
//       CHECK:     %[[OWN:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %cst{{.*}})
//       CHECK:     %[[OLD:.*]] = memref.load %[[PART]]
//       CHECK:     %[[NEXT:.*]] = arith.addf %[[OWN]], %[[OLD]]
//       CHECK:     memref.store %[[NEXT]], %[[PART]]
//       CHECK:     gpu.barrier
//       CHECK:   gpu.barrier
//       CHECK:   memref.load %[[SUM]]
//       CHECK:   memref.store %{{.*}}, %arg1
func.func @tiled(%a: !matrix, %b: memref<16xf32>)
    attributes {tinytc.subgroup_size = 8 : i32,
                tinytc.work_group_size = array<i32: 8, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !sum
  linalg.fill ins(%zero : f32) outs(%sum : !sum)
  scf.forall (%i) = (0) to (16) step (8) {
    %piece = memref.subview %a[%i, 0] [8, 6] [1, 1] : !matrix to !piece
    %part = memref.subview %sum[%i] [8] [1] : !sum to !part
    linalg.generic {indexing_maps = [#line, #first],
                    iterator_types = ["parallel", "reduction"]}
        ins(%piece : !piece) outs(%part : !part) {
    ^bb0(%x: f32, %old: f32):
      %next = arith.addf %old, %x : f32
      linalg.yield %next : f32
    }
  }
  linalg.copy ins(%sum : !sum) outs(%b : memref<16xf32>)
  return
}

// Passes of upstream make such loops. The work-items share them, too.
// CHECK-LABEL: @parallel
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//   CHECK-NOT:   scf.parallel
//       CHECK:   scf.for %[[BASE:.*]] = %c0{{.*}} step %c8
//       CHECK:     %[[I:.*]] = arith.addi %[[BASE]], %[[LANE]]
//  CHECK-NEXT:     memref.store %{{.*}}[%[[I]]]
func.func @parallel(%b: memref<16xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 8 : i32,
                tinytc.work_group_size = array<i32: 8, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
    memref.store %x, %b[%i] : memref<16xf32>
  }
  return
}

}
