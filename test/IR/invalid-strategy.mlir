// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected the entries of a strategy to be from 0 to 2147483647, got -1}}
func.func private @negative() attributes {strategy = #tinytc.strategy<kind = work_items, columns = -1>}

// -----

// expected-error @below {{expected the entries of a strategy to be from 0 to 2147483647, got 2147483648}}
func.func private @large() attributes {strategy = #tinytc.strategy<kind = matrix_unit, rows = 2147483648>}

// -----

// expected-error @below {{expected the tile of a strategy to have at most 16777216 elements, got [8192, 4096]}}
func.func private @tile() attributes {strategy = #tinytc.strategy<kind = tiles, tile = [8192, 4096]>}

// -----

// expected-error @below {{expected a strategy of work_items to have at most 256 elements and 4096 steps of a tile, got more}}
func.func private @elements() attributes {strategy = #tinytc.strategy<kind = work_items, rows = 257>}

// -----

// expected-error @below {{expected a strategy of tensor_cores to have at most 8192 elements and 131072 steps of a tile, got more}}
func.func private @steps() attributes {strategy = #tinytc.strategy<kind = tensor_cores, rows = 64, columns = 64, unroll = 33>}

// -----

// expected-error @below {{expected a strategy of packed_factors to have local memory for 'unroll' steps, got 4096 bytes for 0}}
func.func private @packed() attributes {strategy = #tinytc.strategy<kind = packed_factors, local_bytes = 4096>}
