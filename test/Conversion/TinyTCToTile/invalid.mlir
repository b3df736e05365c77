// RUN: tinytc-opt %s --split-input-file --verify-diagnostics --lower-to-tile

tinytc.func @parallel(%x: f32, %A: !tinytc.memref<f32>) {
  // expected-error @below {{expected an instruction that Tile IR has, got 'parallel': a tile block has no work-items that could run a region each on its own}}
  tinytc.parallel {
    tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
  }
}

// -----

tinytc.func @subgroup_size(%A: !tinytc.memref<i32>) {
  // expected-error @below {{expected an instruction that Tile IR has, got 'builtin.subgroup_size': a tile block has no subgroups}}
  %0 = tinytc.builtin.subgroup_size : i32
  tinytc.store %0, %A[] : i32, !tinytc.memref<i32>
}

// -----

tinytc.func @matrix() {
  // expected-error @below {{expected an instruction that Tile IR has, got 'constant': a cooperative matrix is distributed over a subgroup}}
  %0 = tinytc.constant 0.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_acc>
}

// -----

tinytc.func @constant(%A: !tinytc.memref<4xf32>) {
  // expected-error @below {{expected an instruction that Tile IR has, got 'constant': a program on tiles has no memory of its own}}
  %0 = tinytc.constant dense<1.0> : tensor<4xf32> -> !tinytc.memref<4xf32>
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n %one, %0, %one, %A
    : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @local_view() {
  %0 = tinytc.alloca : !tinytc.memref<4x4xf32, local>
  // expected-error @below {{expected an instruction that Tile IR has, got 'fuse': a tile in registers has no address, so local memory has the modes that it was allocated with}}
  %1 = tinytc.fuse %0[0, 1] : !tinytc.memref<4x4xf32, local> -> !tinytc.memref<16xf32, local>
}

// -----

tinytc.func @empty_alloca() {
  // expected-error @below {{expected an instruction that Tile IR has, got 'alloca': a tile has no modes of size 0}}
  %0 = tinytc.alloca : !tinytc.memref<0x4xf32, local>
}

// -----

tinytc.func @narrow_atomic(%x: i8, %A: !tinytc.memref<i8>) {
  // expected-error @below {{expected an instruction that Tile IR has, got 'store': its atomic operations are those of i32, i64 and floating types}}
  tinytc.store atomic_add %x, %A[] : i8, !tinytc.memref<i8>
}

// -----

tinytc.func @narrow_atomic_sum(%A: !tinytc.memref<4xi16>, %B: !tinytc.memref<4xi16>) {
  %one = tinytc.constant 1 : i16
  // expected-error @below {{expected an instruction that Tile IR has, got 'axpby': its atomic operations are those of i32, i64 and floating types}}
  tinytc.axpby n atomic %one, %A, %one, %B
    : i16, !tinytc.memref<4xi16>, i16, !tinytc.memref<4xi16>
}

// -----

tinytc.func @floating_minimum(%x: f32, %A: !tinytc.memref<f32>) {
  // expected-error @below {{expected an instruction that Tile IR has, got 'atomic_min': its atomic minimum and maximum are those of integers}}
  %0 = tinytc.atomic_min %x, %A[] : f32, !tinytc.memref<f32>
}

// -----

tinytc.func @consistent(%A: !tinytc.memref<f32>) {
  // expected-error @below {{expected an instruction that Tile IR has, got 'atomic_load': its accesses are at most acquire and release}}
  %0 = tinytc.atomic_load device sequentially_consistent %A[] : !tinytc.memref<f32>
}

// -----

tinytc.func @dynamic_local_view(%n: index) {
  %0 = tinytc.alloca : !tinytc.memref<4x4xf32, local>
  // expected-error @below {{expected an instruction that Tile IR has, got 'subview': a tile in registers has sizes that are known and positive}}
  %1 = tinytc.subview %0[0:%n, 0:4] : !tinytc.memref<4x4xf32, local> -> !tinytc.memref<?x4xf32, strided<1, 4>, local>
}

// -----

tinytc.func @large_alloca() {
  // expected-error @below {{expected an instruction that Tile IR has, got 'alloca': a tile has at most 16777216 elements}}
  %0 = tinytc.alloca : !tinytc.memref<4097x4096xf32, local>
}
