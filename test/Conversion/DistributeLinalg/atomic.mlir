// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// The loop of an atomic update is distributed as the sums are: it loads none of them.

#mk = affine_map<(d0, d1) -> (d0, d1)>
#m = affine_map<(d0, d1) -> (d0)>
#k = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
!private = memref<20xf32, #gpu.address_space<private>>
!one = memref<1xf32, #gpu.address_space<private>>
!scalar = memref<f32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// A row of the last tile that another tile sums up too is added once.
// CHECK-LABEL: @sums_of_rows
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<20x7xf32>, %[[B:[^:]*]]: memref<20xf32>)
//   CHECK-NOT:   memref.alloca
//   CHECK-NOT:   scf.forall
//       CHECK:   %[[SUMS:.*]]:2 = scf.for
//       CHECK:   %[[DOUBLE:.*]] = arith.addf %[[SUMS]]#0, %[[SUMS]]#0
//  CHECK-NEXT:   memref.atomic_rmw addf %[[DOUBLE]], %[[B]]
//       CHECK:   scf.if
//  CHECK-NEXT:     %[[DOUBLE:.*]] = arith.addf %[[SUMS]]#1, %[[SUMS]]#1
//  CHECK-NEXT:     memref.atomic_rmw addf %[[DOUBLE]], %[[B]]
func.func @sums_of_rows(%a: memref<20x7xf32>, %b: memref<20xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloca() : !private
  linalg.fill ins(%zero : f32) outs(%sums : !private)
  linalg.generic {indexing_maps = [#mk, #m], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<20x7xf32>) outs(%sums : !private) {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %old, %x : f32
    linalg.yield %next : f32
  }
  scf.forall (%i) in (20) {
    %x = memref.load %sums[%i] : !private
    %double = arith.addf %x, %x : f32
    %0 = memref.atomic_rmw addf %double, %b[%i] : (f32, memref<20xf32>) -> f32
  }
  return
}

// Nobody reads the sums, since a factor of 0 has been folded: they are not computed.
// CHECK-LABEL: @unread_sums
//   CHECK-NOT:   memref.alloca
//   CHECK-NOT:   linalg
//   CHECK-NOT:   memref.load
//       CHECK:   memref.atomic_rmw addf %cst
func.func @unread_sums(%a: memref<20x7xf32>, %b: memref<20xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloca() : !private
  linalg.fill ins(%zero : f32) outs(%sums : !private)
  linalg.generic {indexing_maps = [#mk, #m], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<20x7xf32>) outs(%sums : !private) {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %old, %x : f32
    linalg.yield %next : f32
  }
  scf.forall (%i) in (20) {
    %0 = memref.atomic_rmw addf %zero, %b[%i] : (f32, memref<20xf32>) -> f32
  }
  return
}

}
