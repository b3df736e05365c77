// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-distribute-linalg --verify-diagnostics

// expected-error @below {{expected the kernel to have the attributes 'tinytc.work_group_size' and 'tinytc.subgroup_size', got neither}}
func.func @no_sizes() {
  return
}
tinytc.func @loads_the_dialect() {
  tinytc.yield
}

// -----

func.func @two_reduction_loops(%a: memref<4x4xf32>, %b: memref<f32>, %zero: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %sum = memref.alloca() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  // expected-error @below {{expected one reduction loop, got 2}}
  linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%a : memref<4x4xf32>) outs(%sum : memref<f32>) {
  ^bb0(%x: f32, %old: f32):
    %next = arith.addf %x, %old : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                  iterator_types = []}
      ins(%sum : memref<f32>) outs(%b : memref<f32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @parallel_on_a_tensor(%a: tensor<4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a parallel loop without results, on memrefs, got 1}}
  %b = scf.forall (%i) in (4) shared_outs(%c = %a) -> tensor<4xf32> {
  }
  return
}

// -----

func.func @parallel_with_a_step(%n: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a parallel loop with steps of 1, got another step}}
  scf.forall (%i) = (%n) to (%n) step (%n) {
  }
  return
}

// -----

func.func @named_op(%a: memref<4xf32>, %b: memref<4xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected a linalg.generic, got 'linalg.copy': run tinytc-normalize-linalg first}}
  linalg.copy ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  return
}
