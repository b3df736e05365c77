// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected parameter 1 to have boolean, scalar, memref or group type, got '!tinytc.coopmatrix<8x8xf32, matrix_a>'}}
tinytc.func @func_c1(%0: f32, %1: !tinytc.coopmatrix<8x8xf32, matrix_a>) {
}

// -----

// expected-error @+1 {{expected a kernel to have no results, got 1}}
"tinytc.func"() <{sym_name = "func_c2", function_type = () -> f32}> ({
  "tinytc.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{expected 'subgroup_size' to be positive, got 0}}
tinytc.func @func_c3() attributes {subgroup_size = 0 : i32} {
}

// -----

// expected-error @+1 {{expected 'work_group_size' to have 2 entries, got 3}}
tinytc.func @func_c4() attributes {work_group_size = array<i32: 16, 1, 1>} {
}

// -----

// expected-error @+1 {{expected the entries of 'work_group_size' to be positive, got 16 and 0}}
tinytc.func @func_c4_positive() attributes {work_group_size = array<i32: 16, 0>} {
}

// -----

// expected-error @+1 {{expected the first entry of 'work_group_size' to be a multiple of 'subgroup_size' = 16, got 24}}
tinytc.func @func_c5() attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 24, 1>} {
}

// -----

// expected-error @+1 {{expected one of the attributes 'tinytc.alignment', 'tinytc.shape_gcd', 'tinytc.stride_gcd', 'tinytc.nonzero', 'tinytc.modes', 'tinytc.buffer' and 'tinytc.name' on parameter 0, got 'tinytc.align'}}
tinytc.func @func_c6(%0: !tinytc.memref<?xf32> {tinytc.align = 16}) {
}

// -----

// expected-error @+1 {{expected 'tinytc.alignment' on a memref or group parameter, got it on parameter 0 of type 'f32'}}
tinytc.func @func_c6_scalar(%0: f32 {tinytc.alignment = 16}) {
}

// -----

// expected-error @+1 {{expected 'tinytc.shape_gcd' of parameter 0 to be an array of i64, got 4 : i64}}
tinytc.func @func_c6_kind(%0: !tinytc.memref<?xf32> {tinytc.shape_gcd = 4}) {
}

// -----

// expected-error @+1 {{expected 'tinytc.alignment' of parameter 0 to be a positive multiple of the size of 'f32' = 4, got 6}}
tinytc.func @func_c7(%0: !tinytc.memref<?xf32> {tinytc.alignment = 6}) {
}

// -----

// Divisors of modes that a memref does not have say nothing.
tinytc.func @longer_divisors(%0: !tinytc.memref<?xf32> {tinytc.shape_gcd = array<i64: 4, 4>}) {
}

// -----

// expected-error @+1 {{expected the entries of 'tinytc.stride_gcd' of parameter 0 to be positive, got 0}}
tinytc.func @func_c8(%0: !tinytc.group<!tinytc.memref<?xf32> x ?> {tinytc.stride_gcd = array<i64: 0>}) {
}

// -----

// expected-error @+1 {{expected entry 0 of 'tinytc.shape_gcd' of parameter 0 to divide 6, got 4}}
tinytc.func @func_c9(%0: !tinytc.memref<6xf32> {tinytc.shape_gcd = array<i64: 4>}) {
}

// -----

// expected-note @+1 {{outer kernel is here}}
tinytc.func @outer() {
  builtin.module {
    // expected-error @+1 {{expected a kernel outside any other kernel, got one in 'outer'}}
    tinytc.func @func_c10() {
    }
  }
}

// -----

// expected-error @+1 {{expected parameter 1 to be in the global address space, got '!tinytc.memref<4xf32, local>'}}
tinytc.func @func_c11(%0: f32, %1: !tinytc.memref<4xf32, local>) {
}

// -----

// expected-error @+1 {{expected a kernel to have a body, got a declaration}}
"tinytc.func"() <{sym_name = "func_c12", function_type = () -> ()}> ({}) : () -> ()

// -----

tinytc.func @collective_c1() {
  // expected-note @+1 {{SPMD region opened here}}
  tinytc.parallel {
    // expected-error @+1 {{expected a collective region around a collective instruction, got the SPMD region of 'tinytc.parallel'}}
    %0 = tinytc.alloca : !tinytc.memref<4xf32, local>
  }
}

// -----

tinytc.func @collective_c1_nested(%i: index) {
  // expected-note @+1 {{SPMD region opened here}}
  tinytc.foreach (%j) = (%i), (%i) {
    tinytc.for %k = %i, %i {
      // expected-error @+1 {{expected a collective region around a collective instruction, got the SPMD region of 'tinytc.foreach'}}
      tinytc.parallel {
      }
    }
  }
}

// -----

// expected-note @+1 {{collective region opened here}}
tinytc.func @spmd_c1(%x: f32) {
  // expected-error @+1 {{expected an SPMD region (foreach, foreach_tile, parallel) around an SPMD instruction, got the collective region of 'tinytc.func'}}
  %0 = tinytc.subgroup_add reduce %x : f32
}

// -----

// expected-error @+1 {{expected 'tinytc.name' of parameter 0 to be a string that is not empty, got ""}}
tinytc.func @func_c6_name(%0: f32 {tinytc.name = ""}) {
}

// -----

// expected-error @+1 {{expected 'tinytc.modes' of parameter 0 to be a permutation of 2 modes, got [0, 0]}}
tinytc.func @func_c13(%0: !tinytc.memref<4x3xf32> {tinytc.modes = array<i64: 0, 0>}) {
}

// -----

// expected-error @+1 {{expected 'tinytc.manifest' to be a manifest, got 1 : i64}}
tinytc.func @attribute_c3_manifest() attributes {tinytc.manifest = 1 : i64} {
}

// -----

// expected-error @+1 {{expected 'tinytc.buffer' of parameter 1 to have four numbers for each of 2 dynamic sizes, got [0, 0, 0, 1]}}
tinytc.func @func_c14(%0: !tinytc.memref<?xf32>, %1: !tinytc.memref<4x?x?xf32> {tinytc.buffer = array<i64: 0, 0, 0, 1>}) {
}

// -----

// expected-error @+1 {{expected 'tinytc.buffer' of parameter 1 to have an earlier integer or a mode of an earlier array, or a dimension of groups, and a positive divisor, got [0, 1, 0, 1]}}
tinytc.func @func_c14_mode(%0: !tinytc.memref<?xf32>, %1: !tinytc.memref<?xf32> {tinytc.buffer = array<i64: 0, 1, 0, 1>}) {
}

// -----

// expected-error @+1 {{and a positive divisor, got [0, -1, 0, 1]}}
tinytc.func @func_c14_type(%0: f32, %1: !tinytc.memref<?xf32> {tinytc.buffer = array<i64: 0, -1, 0, 1>}) {
}

// -----

// expected-error @+1 {{and a positive divisor, got [-1, 3, 0, 1]}}
tinytc.func @func_c14_dimension(%0: !tinytc.memref<?xf32> {tinytc.buffer = array<i64: -1, 3, 0, 1>}) {
}

// -----

// expected-error @+1 {{and a positive divisor, got [0, -1, 0, 0]}}
tinytc.func @func_c14_divisor(%0: index, %1: !tinytc.memref<?xf32> {tinytc.buffer = array<i64: 0, -1, 0, 0>}) {
}

// -----

// expected-error @+1 {{and a positive divisor, got [0, 0, 0, 1]}}
tinytc.func @func_c14_earlier(%0: !tinytc.memref<?xf32> {tinytc.buffer = array<i64: 0, 0, 0, 1>}) {
}
