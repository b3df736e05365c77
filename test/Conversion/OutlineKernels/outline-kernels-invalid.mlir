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
