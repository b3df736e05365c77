// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @foreach_tile_c1(%i: index) {
  // expected-error @+1 {{expected as many tile sizes as variables, 1, got 2}}
  tinytc.foreach_tile (%j) = (%i), (%i) as (%m) <= (16, 8) {
  }
}

// -----

tinytc.func @foreach_tile_c1_extents(%i: index) {
  // expected-error @+1 {{expected as many extents as variables (1), got 2}}
  tinytc.foreach_tile (%j) = (%i), (%i) as (%m, %n) <= (16) {
  }
}

// -----

tinytc.func @foreach_tile_c1_none() {
  // expected-error @+1 {{expected at least one variable, got none}}
  "tinytc.foreach_tile"() <{sizes = array<i64>}> ({
    "tinytc.yield"() : () -> ()
  }) : () -> ()
}

// -----

tinytc.func @foreach_tile_c1_region(%i: index) {
  // expected-error @+1 {{expected a start and an extent for each of the 1 variables, got 1 arguments of the body}}
  "tinytc.foreach_tile"(%i, %i) <{sizes = array<i64: 16>}> ({
  ^bb0(%j: index):
    "tinytc.yield"() : () -> ()
  }) : (index, index) -> ()
}

// -----

tinytc.func @foreach_tile_c2(%i: index, %n: i32) {
  // expected-error @+1 {{expected each upper bound to have the type 'index' of its lower bound, got 'i32'}}
  "tinytc.foreach_tile"(%i, %n) <{sizes = array<i64: 16>}> ({
  ^bb0(%j: index, %m: index):
    "tinytc.yield"() : () -> ()
  }) : (index, i32) -> ()
}

// -----

tinytc.func @foreach_tile_c2_extent(%i: index) {
  // expected-error @+1 {{expected each extent to have the type 'index' of its lower bound, got 'i32'}}
  "tinytc.foreach_tile"(%i, %i) <{sizes = array<i64: 16>}> ({
  ^bb0(%j: index, %m: i32):
    "tinytc.yield"() : () -> ()
  }) : (index, index) -> ()
}

// -----

tinytc.func @foreach_tile_c3(%i: index) {
  // expected-error @+1 {{expected a positive tile size that 'index' can hold, got 0}}
  tinytc.foreach_tile (%j, %k) = (%i, %i), (%i, %i) as (%m, %n) <= (16, 0) {
  }
}

// -----

tinytc.func @foreach_tile_c3_type(%i: i8) {
  // expected-error @+1 {{expected a positive tile size that 'i8' can hold, got 128}}
  tinytc.foreach_tile (%j) : i8 = (%i), (%i) as (%m) <= (128) {
  }
}

// -----

tinytc.func @foreach_tile_c4(%i: index) attributes {subgroup_size = 16 : i32} {
  // expected-error @+1 {{expected the first tile size to be a multiple of the subgroup size 16, got 24}}
  tinytc.foreach_tile (%j, %k) = (%i, %i), (%i, %i) as (%m, %n) <= (24, 16) {
  }
}

// -----

tinytc.func @barrier_in_tile(%i: index) {
  // expected-note @+1 {{SPMD region opened here}}
  tinytc.foreach_tile (%j) = (%i), (%i) as (%m) <= (16) {
    // expected-error @+1 {{expected a collective or parallel region around a barrier, got the region of 'tinytc.foreach_tile'}}
    tinytc.barrier
  }
}
