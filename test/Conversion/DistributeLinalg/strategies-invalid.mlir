// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-distribute-linalg --verify-diagnostics

func.func @no_strategy(%a: memref<4x8xf32>, %b: memref<8x4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a strategy, got none: run tinytc-choose-strategies first}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @kind_of_a_sum(%a: memref<4x8xf32>, %b: memref<8x4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a strategy of work_items, collapsed, lane_transpose, pair_gather, vector_transpose, got shared_operand}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) attrs = {tinytc.strategy = #tinytc.strategy<kind = shared_operand>} {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @not_in_memory_order(%a: memref<4x8xf32>, %b: memref<8x4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got collapsed}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) attrs = {tinytc.strategy = #tinytc.strategy<kind = collapsed, adjacent = 1>} {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @no_such_input(%a: memref<4x8xf32>, %b: memref<8x4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got lane_transpose}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) attrs = {tinytc.strategy = #tinytc.strategy<kind = lane_transpose, operand = 1>} {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @no_input_to_gather(%a: memref<4x8xf32>, %b: memref<8x4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got pair_gather}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) attrs = {tinytc.strategy = #tinytc.strategy<kind = pair_gather, operand = 1>} {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @lanes_across_lines(%a: memref<8x4xf32>, %b: memref<8xf32>, %zero: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %sum = memref.alloca() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got subgroup_reduction}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x4xf32>) outs(%sum : memref<8xf32>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = subgroup_reduction, rows = 1, unroll = 1, tail_unroll = 1, adjacent = 1>} {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %x, %old : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%sum : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @no_complex_numbers(%a: memref<8x4xf32>, %b: memref<8xf32>, %zero: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %sum = memref.alloca() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got split_complex}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x4xf32>) outs(%sum : memref<8xf32>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = split_complex, rows = 1, columns = 1, unroll = 1, grid_rows = 16, grid_columns = 1, adjacent = 1>} {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %x, %old : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%sum : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @not_shared(%a: memref<8x4xf32>, %b: memref<8xf32>, %zero: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %sum = memref.alloca() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got shared_operand}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x4xf32>) outs(%sum : memref<8xf32>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = shared_operand, rows = 1, columns = 1, unroll = 1, grid_rows = 16, grid_columns = 1, adjacent = 1>} {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %x, %old : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%sum : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @no_tile(%a: memref<8x4xf32>, %b: memref<8xf32>, %zero: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %sum = memref.alloca() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  // expected-error @below {{expected the strategy to have a positive 'rows', got 0}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x4xf32>) outs(%sum : memref<8xf32>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = work_items, columns = 1, unroll = 1, grid_rows = 16, grid_columns = 1, adjacent = 1>} {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %x, %old : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%sum : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @other_work_group(%a: memref<8x4xf32>, %b: memref<8xf32>, %zero: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %sum = memref.alloca() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  // expected-error @below {{expected the strategy to have a grid of 16 work-items, got 8 x 1}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x4xf32>) outs(%sum : memref<8xf32>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 1, columns = 1, unroll = 1, grid_rows = 8, grid_columns = 1, adjacent = 1>} {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %x, %old : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%sum : memref<8xf32>) outs(%b : memref<8xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @no_line(%b: memref<8xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got line_walks}}
  scf.forall (%i) in (8) {
    memref.store %x, %b[%i] : memref<8xf32>
  } {tinytc.strategy = #tinytc.strategy<kind = line_walks, rows = 1>}
  return
}
