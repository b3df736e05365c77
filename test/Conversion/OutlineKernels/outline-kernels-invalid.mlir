// RUN: tinytc-opt %s --split-input-file --tinytc-outline-kernels --verify-diagnostics

// An op without a pattern is an error at its location.

func.func @not_distributed(%x: f32, %a: memref<4xf32, strided<[1]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{failed to legalize operation 'linalg.fill'}}
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32, strided<[1]>>)
  return
}

// -----

func.func @dynamic_mode(%a: memref<4xi64, strided<[1]>>, %i: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{failed to legalize operation 'memref.dim'}}
  %0 = memref.dim %a, %i : memref<4xi64, strided<[1]>>
  %1 = arith.index_cast %0 : index to i64
  %zero = arith.constant 0 : index
  memref.store %1, %a[%zero] : memref<4xi64, strided<[1]>>
  return
}

// -----

// expected-error @below {{expected the kernel to have the attributes 'tinytc.work_group_size' and 'tinytc.subgroup_size', got neither}}
func.func @no_sizes() {
  return
}

// -----

// expected-error @below {{expected the kernel to have the attributes 'tinytc.work_group_size' and 'tinytc.subgroup_size', got only the latter}}
func.func @no_work_group_size() attributes {tinytc.subgroup_size = 16 : i32} {
  return
}

// -----

// expected-error @below {{expected a kernel of one block, got 2}}
func.func @two_blocks() attributes {tinytc.subgroup_size = 16 : i32,
                                    tinytc.work_group_size = array<i32: 16, 1>} {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error @below {{expected a kernel without results, got 1}}
func.func @result(%x: f32) -> f32 attributes {tinytc.subgroup_size = 16 : i32,
                                              tinytc.work_group_size = array<i32: 16, 1>} {
  return %x : f32
}
