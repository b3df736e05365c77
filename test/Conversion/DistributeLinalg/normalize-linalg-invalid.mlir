// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-normalize-linalg --verify-diagnostics

func.func @two_destinations(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a linalg op with one destination in memory, got 'linalg.generic'}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                                   affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%a : memref<4xf32>) outs(%b, %c : memref<4xf32>, memref<4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %x, %x : f32, f32
  }
  return
}

// -----

func.func @maximum_in_global_memory(%a: memref<4xf32>, %b: memref<f32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a reduction that is a sum, got another one}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%a : memref<4xf32>) outs(%b : memref<f32>) {
  ^bb0(%x: f32, %old: f32):
    %max = arith.maximumf %x, %old : f32
    linalg.yield %max : f32
  }
  return
}

// -----

func.func @neighbours(%a: memref<5xf32>, %b: memref<4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected operands that are indexed by loops, those of the destination each once, got other indices}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%a : memref<5xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @accumulator_in_scalar_code(%zero: f32, %i: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %sum = memref.alloca() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32>)
  // expected-error @below {{expected an accumulator that is accessed by linalg ops and parallel loops, got 'memref.store'}}
  memref.store %zero, %sum[%i] : memref<4xf32>
  return
}

// -----

func.func @more_than_local_memory(%zero: f32, %b: memref<1000x400xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected accumulators and arrays of at most 262144 bytes of local memory on target 'cpu', got 1600000 bytes}}
  %sum = memref.alloca() : memref<1000x400xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<1000x400xf32>)
  linalg.copy ins(%sum : memref<1000x400xf32>) outs(%b : memref<1000x400xf32>)
  return
}

// -----

// The loop that reads the sums does so at other indices than its own.
func.func @atomic_update_of_a_neighbour(%a: memref<?x4xf32>, %b: memref<4xf32>, %zero: f32,
                                        %n: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected an accumulator of static size where its sum is not one op between a fill and an update, got 'memref<?xf32>'}}
  %sum = memref.alloca(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x4xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %x, %old : f32
    linalg.yield %next : f32
  }
  scf.forall (%i) in (4) {
    %x = memref.load %sum[%c1] : memref<?xf32>
    %0 = memref.atomic_rmw addf %x, %b[%i] : (f32, memref<4xf32>) -> f32
  }
  return
}

// -----

func.func @parallel_with_a_reduction(%n: index, %x: f32) {
  %one = arith.constant 1 : index
  // expected-error @below {{expected a parallel loop without reductions, got 1}}
  %sum = scf.parallel (%i) = (%one) to (%n) step (%one) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %next = arith.addf %a, %b : f32
      scf.reduce.return %next : f32
    }
  }
  return
}

// -----

func.func @loop_over_groups(%n: index, %x: f32, %a: memref<?xf32>) {
  // expected-error @below {{expected the mapping [#tinytc.work_item<0>] or none, got [#gpu.block<x>]}}
  scf.forall (%i) in (%n) {
    memref.store %x, %a[%i] : memref<?xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

// Each of both loops would be distributed among the same work-items.
func.func @nested_loops(%a: memref<4x4xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    // expected-error @below {{expected a loop that is in no other loop which work-items share, got one in an 'scf.parallel'}}
    scf.parallel (%j) = (%c0) to (%c4) step (%c1) {
      memref.store %x, %a[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// -----

func.func @parallel_loop_around_linalg(%a: memref<4x4xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected an scf.forall around linalg ops, got 'scf.parallel'}}
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %row = memref.subview %a[%i, 0] [1, 4] [1, 1]
      : memref<4x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.fill ins(%x : f32) outs(%row : memref<4xf32, strided<[1], offset: ?>>)
  }
  return
}

// -----

func.func @linalg_in_a_loop_over_groups(%a: memref<4x4xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected the mapping [#tinytc.work_item<0>] or none, got [#gpu.block<x>]}}
  scf.forall (%i) in (4) {
    %row = memref.subview %a[%i, 0] [1, 4] [1, 1]
      : memref<4x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.fill ins(%x : f32) outs(%row : memref<4xf32, strided<[1], offset: ?>>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @mapping_without_an_order(%a: memref<4x4xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected the mapping [#tinytc.work_item<0>, #tinytc.work_item<1>] or none, got [#tinytc.work_item<0>, #tinytc.work_item<0>]}}
  scf.forall (%i, %j) in (4, 4) {
    memref.store %x, %a[%i, %j] : memref<4x4xf32>
  } {mapping = [#tinytc.work_item<0>, #tinytc.work_item<0>]}
  return
}

// -----

func.func @loop_without_a_dimension(%a: memref<f32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a loop with at least one dimension, got none}}
  scf.forall () in () {
    memref.store %x, %a[] : memref<f32>
  }
  return
}
