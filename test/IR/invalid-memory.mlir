// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @alloca_c1() {
  // expected-error @+1 {{expected a memref of static shape and stride, got '!tinytc.memref<4x?xf32, local>'}}
  %0 = tinytc.alloca : !tinytc.memref<4x?xf32, local>
}

// -----

tinytc.func @alloca_c2() {
  // expected-error @+1 {{expected a memref in the local address space, got '!tinytc.memref<4xf32>'}}
  %0 = tinytc.alloca : !tinytc.memref<4xf32>
}

// -----

tinytc.func @alloca_c3() {
  // expected-error @+1 {{expected 'alignment' to be a positive multiple of the size of 'f32' = 4, got 2}}
  %0 = tinytc.alloca {alignment = 2} : !tinytc.memref<4xf32, local>
}

// -----

tinytc.func @load_c1(%A: !tinytc.memref<4x4xf32>, %i: index) {
  // expected-error @+1 {{expected 2 indices, got 1}}
  %0 = tinytc.load %A[%i] : !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @load_c1_group(%A: !tinytc.group<!tinytc.memref<8x8xf32> x ?>, %i: index) {
  // expected-error @+1 {{expected 1 index, got 2}}
  %0 = tinytc.load %A[%i, %i] : !tinytc.group<!tinytc.memref<8x8xf32> x ?>
}

// -----

tinytc.func @load_c2(%A: !tinytc.memref<f32>) {
  // expected-error @+1 {{expected 'result' to have the element type 'f32' of 'source', got 'f64'}}
  %0 = "tinytc.load"(%A) : (!tinytc.memref<f32>) -> f64
}

// -----

tinytc.func @load_c3(%A: !tinytc.memref<8x4xf32>, %i: index) {
  %c4 = tinytc.constant 4 : index
  // expected-error @+1 {{expected the index of mode 1 to be at least 0 and less than its size 4, got 4}}
  %0 = tinytc.load %A[%i, %c4] : !tinytc.memref<8x4xf32>
}

// -----

tinytc.func @load_c3_dynamic(%A: !tinytc.memref<?xf32>) {
  %c = tinytc.constant -1 : index
  // expected-error @+1 {{expected the index of mode 0 to be at least 0, got -1}}
  %0 = tinytc.load %A[%c] : !tinytc.memref<?xf32>
}

// -----

tinytc.func @load_c3_group(%A: !tinytc.group<!tinytc.memref<8x8xf32> x 3>) {
  %c3 = tinytc.constant 3 : index
  // expected-error @+1 {{expected the index of the group to be at least 0 and less than its size 3, got 3}}
  %0 = tinytc.load %A[%c3] : !tinytc.group<!tinytc.memref<8x8xf32> x 3>
}

// -----

tinytc.func @store_c1(%A: !tinytc.memref<f32>, %x: f64) {
  // expected-error @+1 {{expected 'value' to have the element type 'f32' of 'dest', got 'f64'}}
  tinytc.store %x, %A[] : f64, !tinytc.memref<f32>
}

// -----

tinytc.func @store_c2(%A: !tinytc.memref<4xf32>, %x: f32) {
  // expected-error @+1 {{expected 1 index, got 0}}
  tinytc.store %x, %A[] : f32, !tinytc.memref<4xf32>
}

// -----

tinytc.func @store_c3(%A: !tinytc.memref<8x4xf32>, %x: f32, %i: index) {
  %c8 = tinytc.constant 8 : index
  // expected-error @+1 {{expected the index of mode 0 to be at least 0 and less than its size 8, got 8}}
  tinytc.store %x, %A[%c8, %i] : f32, !tinytc.memref<8x4xf32>
}

// -----

tinytc.func @lifetime_stop_c1(%A: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{expected 'memref' to be the result of an alloca, got a block argument}}
  tinytc.lifetime_stop %A : !tinytc.memref<4xf32>
}

// -----

tinytc.func @lifetime_stop_c1_view(%A: !tinytc.memref<4xf32>) {
  %0 = tinytc.subview %A[0:2] : !tinytc.memref<4xf32> -> !tinytc.memref<2xf32>
  // expected-error @+1 {{expected 'memref' to be the result of an alloca, got the result of 'tinytc.subview'}}
  tinytc.lifetime_stop %0 : !tinytc.memref<2xf32>
}

// -----

tinytc.func @lifetime_stop_c2(%i: index) {
  // expected-note @+1 {{alloca is here}}
  %0 = tinytc.alloca : !tinytc.memref<4xf32, local>
  tinytc.for %j = %i, %i {
    // expected-error @+1 {{expected no loop or SPMD region between the alloca and the end of its life, got 'tinytc.for'}}
    tinytc.lifetime_stop %0 : !tinytc.memref<4xf32, local>
  }
}

// -----

// The alloca is in another region.
tinytc.func @lifetime_stop_c2_elsewhere(%c: i1) {
  // expected-error @+1 {{operand #0 does not dominate this use}}
  tinytc.lifetime_stop %0 : !tinytc.memref<4xf32, local>
  tinytc.if %c {
    // expected-note @+1 {{operand defined here}}
    %0 = tinytc.alloca : !tinytc.memref<4xf32, local>
  }
}

// -----

tinytc.func @lifetime_stop_c3(%i: index) {
  %0 = tinytc.alloca : !tinytc.memref<4xf32, local>
  // expected-error @+1 {{expected no use of the alloca after the end of its life, got 'tinytc.load'}}
  tinytc.lifetime_stop %0 : !tinytc.memref<4xf32, local>
  // expected-note @+1 {{later use is here}}
  %1 = tinytc.load %0[%i] : !tinytc.memref<4xf32, local>
}

// -----

tinytc.func @lifetime_stop_c3_view(%i: index, %c: i1) {
  %0 = tinytc.alloca : !tinytc.memref<4xf32, local>
  %1 = tinytc.subview %0[0:2] : !tinytc.memref<4xf32, local> -> !tinytc.memref<2xf32, local>
  tinytc.if %c {
    // expected-error @+1 {{expected no use of the alloca after the end of its life, got 'tinytc.load'}}
    tinytc.lifetime_stop %0 : !tinytc.memref<4xf32, local>
  }
  // expected-note @+1 {{later use is here}}
  %2 = tinytc.load %1[%i] : !tinytc.memref<2xf32, local>
}

// -----

tinytc.func @lifetime_stop_c3_twice() {
  %0 = tinytc.alloca : !tinytc.memref<4xf32, local>
  // expected-error @+1 {{expected no use of the alloca after the end of its life, got 'tinytc.lifetime_stop'}}
  tinytc.lifetime_stop %0 : !tinytc.memref<4xf32, local>
  // expected-note @+1 {{later use is here}}
  tinytc.lifetime_stop %0 : !tinytc.memref<4xf32, local>
}

// -----

tinytc.func @associated_c1(%x: f32) {
  // expected-error @+1 {{operand #0 must be }}
  %0 = "tinytc.associated"(%x) : (f32) -> i1
}

// -----

tinytc.func @associated_c2(%A: !tinytc.memref<4xf32>) {
  // expected-error @+1 {{result #0 must be bool}}
  %0 = "tinytc.associated"(%A) : (!tinytc.memref<4xf32>) -> i32
}
