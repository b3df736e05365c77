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

tinytc.func @local_view() {
  %0 = tinytc.alloca : !tinytc.memref<4x4xf32, local>
  // expected-error @below {{expected an instruction that Tile IR has, got 'fuse': a tile in registers has no address, so local memory is accessed as a whole or element by element}}
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

tinytc.func @complex_atomic(%A: !tinytc.memref<complex<f32>>) {
  // expected-error @below {{expected an instruction that Tile IR has, got 'atomic_load': it returns an element of at most 64 bits, without parts}}
  %0 = tinytc.atomic_load %A[] : !tinytc.memref<complex<f32>>
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

tinytc.func @local_atomic() {
  %0 = tinytc.alloca : !tinytc.memref<f32, local>
  // expected-error @below {{expected an instruction that Tile IR has, got 'atomic_load': a tile in registers is not shared, so nothing is atomic}}
  %1 = tinytc.atomic_load %0[] : !tinytc.memref<f32, local>
}
