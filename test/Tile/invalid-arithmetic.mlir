// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @elementwise_c1(%x: !tile.tile<4xf32>, %y: !tile.tile<8xf32>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %0 = "tile.addf"(%x, %y) : (!tile.tile<4xf32>, !tile.tile<8xf32>) -> !tile.tile<4xf32>
  return
}

// -----

func.func @cmpf_c1(%x: !tile.tile<4xf32>) {
  // expected-error @below {{expected 'result' to have shape (4), got (8)}}
  %0 = tile.cmpf equal ordered %x, %x : !tile.tile<4xf32> -> !tile.tile<8xi1>
  return
}

// -----

func.func @cmpi_c1(%x: !tile.tile<4xi32>) {
  // expected-error @below {{expected 'result' to have shape (4), got ()}}
  %0 = tile.cmpi equal %x, %x signed : !tile.tile<4xi32> -> !tile.tile<i1>
  return
}

// -----

func.func @mmaf_c1(%a: !tile.tile<4x8xbf16>, %b: !tile.tile<8x2xbf16>, %c: !tile.tile<4x2xf16>) {
  // expected-error @below {{expected 'acc' to have elements that products of 'bf16' are added up in, got 'f16'}}
  %0 = tile.mmaf %a, %b, %c : !tile.tile<4x8xbf16>, !tile.tile<8x2xbf16>, !tile.tile<4x2xf16>
  return
}

// -----

func.func @mmaf_c1_same(%a: !tile.tile<4x8xf16>, %b: !tile.tile<8x2xf32>, %c: !tile.tile<4x2xf32>) {
  // expected-error @below {{expected 'rhs' to have elements of 'lhs's type 'f16', got 'f32'}}
  %0 = tile.mmaf %a, %b, %c : !tile.tile<4x8xf16>, !tile.tile<8x2xf32>, !tile.tile<4x2xf32>
  return
}

// -----

func.func @mmaf_c2(%a: !tile.tile<4x8xf32>, %b: !tile.tile<4x2xf32>, %c: !tile.tile<4x2xf32>) {
  // expected-error @below {{expected 'rhs' to have shape (8, 2), got (4, 2)}}
  %0 = tile.mmaf %a, %b, %c : !tile.tile<4x8xf32>, !tile.tile<4x2xf32>, !tile.tile<4x2xf32>
  return
}

// -----

func.func @mmaf_c2_rank(%a: !tile.tile<8xf32>, %b: !tile.tile<8xf32>, %c: !tile.tile<8xf32>) {
  // expected-error @below {{expected 'lhs' to have 2 or 3 dimensions, got 1}}
  %0 = tile.mmaf %a, %b, %c : !tile.tile<8xf32>, !tile.tile<8xf32>, !tile.tile<8xf32>
  return
}

// -----

func.func @mmaf_c2_batch(%a: !tile.tile<2x4x8xf32>, %b: !tile.tile<2x8x2xf32>, %c: !tile.tile<1x4x2xf32>) {
  // expected-error @below {{expected 'acc' to have shape (2, 4, 2), got (1, 4, 2)}}
  %0 = tile.mmaf %a, %b, %c : !tile.tile<2x4x8xf32>, !tile.tile<2x8x2xf32>, !tile.tile<1x4x2xf32>
  return
}

// -----

func.func @mmai_c1(%a: !tile.tile<4x8xi8>, %b: !tile.tile<8x2xi8>, %c: !tile.tile<2x2xi32>) {
  // expected-error @below {{expected 'acc' to have shape (4, 2), got (2, 2)}}
  %0 = tile.mmai %a, %b, %c signed signed : !tile.tile<4x8xi8>, !tile.tile<8x2xi8>, !tile.tile<2x2xi32>
  return
}

// -----

func.func @convert_c1(%x: !tile.tile<4xi32>) {
  // expected-error @below {{expected 'result' to have shape (4), got (8)}}
  %0 = tile.itof %x signed : !tile.tile<4xi32> -> !tile.tile<8xf32>
  return
}

// -----

func.func @bitcast_c1(%x: !tile.tile<4xf32>) {
  // expected-error @below {{expected elements of 32 bits, got 16}}
  %0 = tile.bitcast %x : !tile.tile<4xf32> -> !tile.tile<4xi16>
  return
}

// -----

func.func @exti_c1(%x: !tile.tile<4xi32>) {
  // expected-error @below {{expected elements of more than 32 bits, got 8}}
  %0 = tile.exti %x signed : !tile.tile<4xi32> -> !tile.tile<4xi8>
  return
}

// -----

func.func @trunci_c1(%x: !tile.tile<4xi32>) {
  // expected-error @below {{expected elements of less than 32 bits, got 64}}
  %0 = tile.trunci %x : !tile.tile<4xi32> -> !tile.tile<4xi64>
  return
}

// -----

func.func @ftof_c1(%x: !tile.tile<4xf32>) {
  // expected-error @below {{expected another element type, got the same, 'f32'}}
  %0 = tile.ftof %x : !tile.tile<4xf32> -> !tile.tile<4xf32>
  return
}
