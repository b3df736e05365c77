// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @foreach_c1(%i: index) {
  // expected-error @+1 {{expected as many bounds as loop variables (2), got 1 and 2}}
  tinytc.foreach (%j, %k) = (%i), (%i, %i) {
  }
}

// -----

tinytc.func @foreach_c1_region(%i: index) {
  // expected-error @+1 {{expected as many bounds as loop variables, 2, got 1}}
  "tinytc.foreach"(%i, %i) ({
  ^bb0(%j: index, %k: index):
    "tinytc.yield"() : () -> ()
  }) : (index, index) -> ()
}

// -----

tinytc.func @foreach_c1_none() {
  // expected-error @+1 {{expected at least one loop variable, got none}}
  "tinytc.foreach"() ({
    "tinytc.yield"() : () -> ()
  }) : () -> ()
}

// -----

tinytc.func @foreach_c2(%i: index, %n: i32) {
  // expected-error @+1 {{expected each upper bound to have the type 'index' of its lower bound, got 'i32'}}
  "tinytc.foreach"(%i, %n) ({
  ^bb0(%j: index):
    "tinytc.yield"() : () -> ()
  }) : (index, i32) -> ()
}

// -----

tinytc.func @foreach_c2_variable(%n: i32) {
  // expected-error @+1 {{expected each loop variable to have the type 'i32' of its lower bound, got 'index'}}
  "tinytc.foreach"(%n, %n) ({
  ^bb0(%j: index):
    "tinytc.yield"() : () -> ()
  }) : (i32, i32) -> ()
}

// -----

tinytc.func @foreach_types(%i: index) {
  // expected-error @+1 {{expected one type, or as many as loop variables (3), got 2}}
  tinytc.foreach (%j, %k, %l) : index, i32 = (%i, %i, %i), (%i, %i, %i) {
  }
}

// -----

tinytc.func @for_c6(%i: index) {
  // expected-error @+1 {{expected to unroll at least 1 iteration, got 0}}
  tinytc.for %k = %i, %i {
  } {unroll = 0 : i64}
}

// -----

tinytc.func @barrier_c1(%i: index) {
  // expected-note @+1 {{SPMD region opened here}}
  tinytc.foreach (%j) = (%i), (%i) {
    // expected-error @+1 {{expected a collective or parallel region around a barrier, got the region of 'tinytc.foreach'}}
    tinytc.barrier global
  }
}

// -----

tinytc.func @barrier_c1_nested(%i: index, %c: i1) {
  // expected-note @+1 {{SPMD region opened here}}
  tinytc.foreach (%j) = (%i), (%i) {
    tinytc.for %k = %i, %j {
      tinytc.if %c {
        // expected-error @+1 {{expected a collective or parallel region around a barrier, got the region of 'tinytc.foreach'}}
        tinytc.barrier
      }
    }
  }
}

// -----

tinytc.func @for_c1(%i: index, %n: i32) {
  // expected-error @+1 {{expected 'step' to have the type 'index' of the bounds, got 'i32'}}
  "tinytc.for"(%i, %i, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    "tinytc.yield"() : () -> ()
  }) : (index, index, i32) -> ()
}

// -----

tinytc.func @for_c1_bounds(%i: index, %n: i32) {
  // expected-error @+1 {{failed to verify that all of {from, to} have same type}}
  "tinytc.for"(%i, %n) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: index):
    "tinytc.yield"() : () -> ()
  }) : (index, i32) -> ()
}

// -----

tinytc.func @for_c1_count(%i: index) {
  // expected-error @+1 {{expected from, to and an optional step, got 1 values}}
  tinytc.for %j = %i {
  }
}

// -----

tinytc.func @for_c2(%i: index) {
  %step = tinytc.constant 0 : index
  // expected-error @+1 {{expected a constant step to be positive, got 0}}
  tinytc.for %j = %i, %i, %step {
  }
}

// -----

tinytc.func @for_c3(%i: index, %x: f32) {
  // expected-error @+1 {{expected results of the types ('f32') of 'inits', got ()}}
  "tinytc.for"(%i, %i, %x) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%j: index, %y: f32):
    "tinytc.yield"() : () -> ()
  }) : (index, index, f32) -> ()
}

// -----

tinytc.func @for_c3_syntax(%i: index, %x: f32) {
  // expected-error @+1 {{expected 1 result types, one for each loop-carried value, got 2}}
  %0, %1 = tinytc.for %j = %i, %i init(%y = %x) -> (f32, f32) {
    tinytc.yield %y : f32
  }
}

// -----

tinytc.func @for_c4(%i: index) {
  // expected-error @+1 {{expected the loop variable to have the type 'index' of the bounds, got ('i32')}}
  "tinytc.for"(%i, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: i32):
    "tinytc.yield"() : () -> ()
  }) : (index, index) -> ()
}

// -----

tinytc.func @for_c4_values(%i: index) {
  // expected-error @+1 {{expected the loop-carried values to have the types () of the initial values, got ('f32')}}
  "tinytc.for"(%i, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%j: index, %y: f32):
    "tinytc.yield"() : () -> ()
  }) : (index, index) -> ()
}

// -----

tinytc.func @for_c5(%i: index, %x: f32, %z: f64) {
  // expected-note @+1 {{values are returned from here}}
  %0 = tinytc.for %j = %i, %i init(%y = %x) -> (f32) {
    // expected-error @+1 {{expected values of types ('f32'), the results of 'tinytc.for', got ('f64')}}
    tinytc.yield %z : f64
  }
}

// -----

tinytc.func @if_c1(%c: i1, %x: f32) {
  // expected-error @+1 {{expected an else region because there are results, got none}}
  %0 = tinytc.if %c -> (f32) {
    tinytc.yield %x : f32
  }
}

// -----

tinytc.func @if_c2(%c: i1, %x: f32) {
  // expected-note @+1 {{values are returned from here}}
  %0 = tinytc.if %c -> (f32) {
    tinytc.yield %x : f32
  } else {
    // expected-error @+1 {{expected values of types ('f32'), the results of 'tinytc.if', got ()}}
    tinytc.yield
  }
}

// -----

tinytc.func @if_c3(%x: i32) {
  // expected-error @+1 {{operand #0 must be boolean type, but got 'i32'}}
  "tinytc.if"(%x) ({
    "tinytc.yield"() : () -> ()
  }, {}) : (i32) -> ()
}

// -----

func.func @yield_c1() {
  // expected-error @+1 {{expects parent op to be one of 'tinytc.for, tinytc.if, tinytc.foreach, tinytc.foreach_tile, tinytc.parallel, tinytc.func, tinytc.cooperative_matrix_apply'}}
  tinytc.yield
}

// -----

// expected-note @+1 {{values are returned from here}}
tinytc.func @yield_c2(%x: f32) {
  // expected-error @+1 {{expected values of types (), the results of 'tinytc.func', got ('f32')}}
  tinytc.yield %x : f32
}

// -----

tinytc.func @yield_c3(%c: i1, %A: !tinytc.memref<4xf32>) {
  tinytc.if %c {
    // expected-error @+1 {{operand #0 must be variadic of boolean, scalar or coopmatrix type, but got '!tinytc.memref<4xf32>'}}
    tinytc.yield %A : !tinytc.memref<4xf32>
  }
}
