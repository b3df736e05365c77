// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @iota_c1() {
  // expected-error @below {{expected a tile of one dimension, got 2}}
  %0 = tile.iota : !tile.tile<2x2xi32>
  return
}

// -----

func.func @iota_c2() {
  // expected-error @below {{expected an element type for numbers up to 511, got 'i8'}}
  %0 = tile.iota : !tile.tile<512xi8>
  return
}

// -----

func.func @reshape_c1(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected 'result' to have elements of 'source's type 'f32', got 'i32'}}
  %0 = tile.reshape %x : !tile.tile<4x8xf32> -> !tile.tile<32xi32>
  return
}

// -----

func.func @reshape_c2(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected 'result' to have 32 elements, got 16}}
  %0 = tile.reshape %x : !tile.tile<4x8xf32> -> !tile.tile<16xf32>
  return
}

// -----

func.func @broadcast_c1(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected 'result' to have elements of 'source's type 'f32', got 'f64'}}
  %0 = tile.broadcast %x : !tile.tile<4x8xf32> -> !tile.tile<4x8xf64>
  return
}

// -----

func.func @broadcast_c2(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected 'result' to have 2 dimensions, got 3}}
  %0 = tile.broadcast %x : !tile.tile<4x8xf32> -> !tile.tile<2x4x8xf32>
  return
}

// -----

func.func @broadcast_c3(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected sizes of 'source' to be 1 or 16, got 8}}
  %0 = tile.broadcast %x : !tile.tile<4x8xf32> -> !tile.tile<4x16xf32>
  return
}

// -----

func.func @permute_c1(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected 'result' to have elements of 'source's type 'f32', got 'f16'}}
  %0 = tile.permute %x [1, 0] : !tile.tile<4x8xf32> -> !tile.tile<8x4xf16>
  return
}

// -----

func.func @permute_c2(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected a permutation of 2 dimensions, got [1, 1]}}
  %0 = tile.permute %x [1, 1] : !tile.tile<4x8xf32> -> !tile.tile<8x4xf32>
  return
}

// -----

func.func @permute_c3(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected 'result' to have shape (8, 4), got (4, 8)}}
  %0 = tile.permute %x [1, 0] : !tile.tile<4x8xf32> -> !tile.tile<4x8xf32>
  return
}

// -----

func.func @extract_c1(%x: !tile.tile<4x8xf32>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected 'result' to have elements of 'source's type 'f32', got 'i32'}}
  %0 = tile.extract %x[%i, %i] : !tile.tile<4x8xf32> -> !tile.tile<2x2xi32>
  return
}

// -----

func.func @extract_c2(%x: !tile.tile<4x8xf32>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected 2 indices, got 1}}
  %0 = tile.extract %x[%i] : !tile.tile<4x8xf32> -> !tile.tile<2x2xf32>
  return
}

// -----

func.func @extract_c2_rank(%x: !tile.tile<4x8xf32>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected 'result' to have 2 dimensions, got 1}}
  %0 = tile.extract %x[%i] : !tile.tile<4x8xf32> -> !tile.tile<2xf32>
  return
}

// -----

func.func @extract_c3(%x: !tile.tile<4x8xf32>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected sizes of 'result' to divide those of 'source', got 16 for 8}}
  %0 = tile.extract %x[%i, %i] : !tile.tile<4x8xf32> -> !tile.tile<2x16xf32>
  return
}

// -----

func.func @cat_c1(%x: !tile.tile<4x8xf32>, %y: !tile.tile<4x8xi32>) {
  // expected-error @below {{expected 'rhs' to have elements of 'lhs's type 'f32', got 'i32'}}
  %0 = tile.cat %x, %y dim = 0 : !tile.tile<4x8xf32>, !tile.tile<4x8xi32> -> !tile.tile<8x8xf32>
  return
}

// -----

func.func @cat_c2(%x: !tile.tile<4x8xf32>, %y: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected a dimension of 'result', less than 2, got 2}}
  %0 = tile.cat %x, %y dim = 2 : !tile.tile<4x8xf32>, !tile.tile<4x8xf32> -> !tile.tile<8x8xf32>
  return
}

// -----

func.func @cat_c2_rank(%x: !tile.tile<4x8xf32>, %y: !tile.tile<4xf32>) {
  // expected-error @below {{expected 'rhs' to have 2 dimensions, got 1}}
  %0 = tile.cat %x, %y dim = 0 : !tile.tile<4x8xf32>, !tile.tile<4xf32> -> !tile.tile<8x8xf32>
  return
}

// -----

func.func @cat_c3(%x: !tile.tile<4x8xf32>, %y: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected 'result' to have shape (8, 8), got (4, 16)}}
  %0 = tile.cat %x, %y dim = 0 : !tile.tile<4x8xf32>, !tile.tile<4x8xf32> -> !tile.tile<4x16xf32>
  return
}

// -----

func.func @select_c1(%x: !tile.tile<4x8xf32>, %c: !tile.tile<4xi1>) {
  // expected-error @below {{expected 'cond' to have shape (4, 8), got (4)}}
  %0 = tile.select %c, %x, %x : !tile.tile<4xi1>, !tile.tile<4x8xf32>
  return
}
