// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected 'tinytc.nonzero' of parameter 0 to be an array of arrays of i64, got [0, 4]}}
tinytc.func @attribute_c3(%0: !tinytc.memref<4xf32> {tinytc.nonzero = [0, 4]}) {
}

// -----

// expected-error @+1 {{expected box 0 of 'tinytc.nonzero' of parameter 0 to have two numbers for each of the same number of modes, at most 1, got 4 numbers}}
tinytc.func @func_c15(%0: !tinytc.memref<4xf32> {tinytc.nonzero = [array<i64: 0, 4, 0, 4>]}) {
}

// -----

// expected-error @+1 {{expected box 1 of 'tinytc.nonzero' of parameter 0 to have two numbers for each of the same number of modes, at most 2, got 2 numbers}}
tinytc.func @func_c15_other_count(%0: !tinytc.memref<4x4xf32>
    {tinytc.nonzero = [array<i64: 0, 4, 0, 4>, array<i64: 0, 4>]}) {
}

// -----

// expected-error @+1 {{expected box 0 of 'tinytc.nonzero' of parameter 0 to have ranges of modes of static size, got one of mode 1, whose size is dynamic}}
tinytc.func @func_c15_dynamic(%0: !tinytc.group<!tinytc.memref<4x?xf32> x ?>
    {tinytc.nonzero = [array<i64: 0, 4, 0, 4>]}) {
}

// -----

// expected-error @+1 {{expected box 0 of 'tinytc.nonzero' of parameter 0 to have a range within mode 0 of size 4, got 2 to 5}}
tinytc.func @func_c15_range(%0: !tinytc.memref<4xf32> {tinytc.nonzero = [array<i64: 2, 5>]}) {
}

// -----

// expected-error @+1 {{expected 'tinytc.nonzero' on a memref or group parameter, got it on parameter 0}}
tinytc.func @func_c6(%0: f32 {tinytc.nonzero = []}) {
}

// -----

tinytc.func @alloca_c4() {
  // expected-error @+1 {{expected box 0 of 'nonzero' to have a range within mode 0 of size 4, got 2 to 2}}
  %0 = tinytc.alloca {nonzero = [array<i64: 2, 2>]} : !tinytc.memref<4xf32, local>
}

// -----

// expected-error @below {{expected 'nonzero' of parameter "A" to be an array of arrays of i64, got [4]}}
func.func private @manifest() attributes {a = #tinytc.parameter<name = "A", type = memref<4xf32>, nonzero = [4]>}
