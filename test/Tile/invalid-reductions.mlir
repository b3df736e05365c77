// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected an identity for each of 1 operands, got 0}}
  %0 = tile.reduce %x dim = 0 identities = [] : !tile.tile<4x8xf32> -> !tile.tile<8xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    tile.yield %e : !tile.tile<f32>
  }
  return
}

// -----

func.func @reduce_c1_type(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected an identity of type 'f32', got 0 : i32}}
  %0 = tile.reduce %x dim = 0 identities = [0 : i32] : !tile.tile<4x8xf32> -> !tile.tile<8xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    tile.yield %e : !tile.tile<f32>
  }
  return
}

// -----

func.func @reduce_c2(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected a dimension of 'operands', less than 2, got 2}}
  %0 = tile.reduce %x dim = 2 identities = [0.0 : f32] : !tile.tile<4x8xf32> -> !tile.tile<8xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    tile.yield %e : !tile.tile<f32>
  }
  return
}

// -----

func.func @reduce_c3(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected the types of reduced operands ('!tile.tile<8xf32>'), got ('!tile.tile<4xf32>')}}
  %0 = tile.reduce %x dim = 0 identities = [0.0 : f32] : !tile.tile<4x8xf32> -> !tile.tile<4xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    tile.yield %e : !tile.tile<f32>
  }
  return
}

// -----

func.func @reduce_c4(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected the types of elements and values so far ('!tile.tile<f32>', '!tile.tile<f32>'), got ('!tile.tile<i32>', '!tile.tile<i32>')}}
  %0 = tile.reduce %x dim = 0 identities = [0.0 : f32] : !tile.tile<4x8xf32> -> !tile.tile<8xf32> {
  ^body(%e: !tile.tile<i32>, %s: !tile.tile<i32>):
    %c = tile.constant dense<0.0> : !tile.tile<f32>
    tile.yield %c : !tile.tile<f32> // !tile.tile<i32>
  }
  return
}

// -----

func.func @scan_c1(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected one operand, got 2}}
  %0 = tile.scan %x, %x dim = 0 reverse = false identities = [0.0 : f32, 0.0 : f32] : !tile.tile<4x8xf32>, !tile.tile<4x8xf32> -> !tile.tile<4x8xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    tile.yield %e, %e : !tile.tile<f32>, !tile.tile<f32>
  }
  return
}

// -----

func.func @scan_c2(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected a dimension of 'operands', less than 2, got 5}}
  %0 = tile.scan %x dim = 5 reverse = false identities = [0.0 : f32] : !tile.tile<4x8xf32> -> !tile.tile<4x8xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    tile.yield %e : !tile.tile<f32>
  }
  return
}

// -----

func.func @scan_c3(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected the types of operands ('!tile.tile<4x8xf32>'), got ('!tile.tile<8xf32>')}}
  %0 = tile.scan %x dim = 0 reverse = false identities = [0.0 : f32] : !tile.tile<4x8xf32> -> !tile.tile<8xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    tile.yield %e : !tile.tile<f32>
  }
  return
}

// -----

func.func @scan_c4(%x: !tile.tile<4x8xf32>) {
  // expected-error @below {{expected the types of elements and values so far ('!tile.tile<f32>', '!tile.tile<f32>'), got ('!tile.tile<i32>', '!tile.tile<i32>')}}
  %0 = tile.scan %x dim = 0 reverse = false identities = [0.0 : f32] : !tile.tile<4x8xf32> -> !tile.tile<4x8xf32> {
  ^body(%e: !tile.tile<i32>, %s: !tile.tile<i32>):
    %c = tile.constant dense<0.0> : !tile.tile<f32>
    tile.yield %c : !tile.tile<f32> // !tile.tile<i32>
  }
  return
}

// -----

func.func @yield_c1(%x: !tile.tile<4x8xf32>, %i: !tile.tile<i32>) {
  %0 = tile.reduce %x dim = 0 identities = [0.0 : f32]
      : !tile.tile<4x8xf32> -> !tile.tile<8xf32> {
  ^body(%e: !tile.tile<f32>, %s: !tile.tile<f32>):
    // expected-error @below {{expected the types of the reduction's elements ('!tile.tile<f32>'), got ('!tile.tile<i32>')}}
    tile.yield %i : !tile.tile<i32>
  }
  return
}

// -----

func.func @yield_c1_if(%c: !tile.tile<i1>) {
  tile.if %c {
    // expected-error @below {{expected the types of the branch's results (), got ('!tile.tile<i1>')}}
    tile.yield %c : !tile.tile<i1>
  }
  return
}
