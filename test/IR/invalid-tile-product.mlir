// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @tile_product_c1(%a: memref<?xi32>, %i: index) {
  // expected-error @below {{expected words of i8 or bf16, got i16}}
  tinytc.tile_product i16 %a by %i, %a by %i, %a[%i] by %i at (%i) (%i) steps %i tile [16, 16, 16]
    : memref<?xi32>, memref<?xi32>, memref<?xi32>
  return
}

// -----

func.func @tile_product_c1_sums(%a: memref<?xi32>, %i: index) {
  // expected-error @below {{expected 'c' with elements of type 'f32', got 'i32'}}
  tinytc.tile_product bf16 %a by %i, %a by %i, %a[%i] by %i at (%i) (%i) steps %i tile [16, 16, 16]
    : memref<?xi32>, memref<?xi32>, memref<?xi32>
  return
}

// -----

func.func @tile_product_c2(%a: memref<?xi32>, %i: index) {
  // expected-error @below {{expected one or two 'columns', got 3}}
  tinytc.tile_product i8 %a by %i, %a by %i, %a[%i] by %i at (%i) (%i, %i, %i) steps %i tile [16, 16, 16]
    : memref<?xi32>, memref<?xi32>, memref<?xi32>
  return
}

// -----

func.func @tile_product_c3(%a: memref<?xi32>, %i: index) {
  // expected-error @below {{expected three sizes of a tile from 1 to 16, got [16, 17, 16]}}
  tinytc.tile_product i8 %a by %i, %a by %i, %a[%i] by %i at (%i) (%i) steps %i tile [16, 17, 16]
    : memref<?xi32>, memref<?xi32>, memref<?xi32>
  return
}
