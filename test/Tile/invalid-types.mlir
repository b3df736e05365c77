// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected a number type (i1, i8, i16, i32, i64, f16, bf16, f32, f64, tf32, f8E4M3FN, f8E5M2), got 'i7'}}
func.func private @ptr_c1(!tile.ptr<i7>)

// -----

// expected-error @below {{expected a pointer or a number type (i1, i8, i16, i32, i64, f16, bf16, f32, f64, tf32, f8E4M3FN, f8E5M2), got 'index'}}
func.func private @tile_c1(!tile.tile<4xindex>)

// -----

// expected-error @below {{expected sizes of a tile to be positive powers of two, got 6}}
func.func private @tile_c2(!tile.tile<4x6xf32>)

// -----

// expected-error @below {{expected sizes of a tile to be positive powers of two, got 0}}
func.func private @tile_c2_zero(!tile.tile<0xf32>)

// -----

// expected-error @below {{expected at most 16777216 elements, got 4096 times 8192 or more}}
func.func private @tile_c3(!tile.tile<4096x8192xf32>)

// -----

// expected-error @below {{expected a number type (i1, i8, i16, i32, i64, f16, bf16, f32, f64, tf32, f8E4M3FN, f8E5M2), got '!tile.token'}}
func.func private @tensor_view_c1(!tile.tensor_view<4x!tile.token, strides = [1]>)

// -----

// expected-error @below {{expected a stride for each of 2 dimensions, got 1 strides}}
func.func private @tensor_view_c2(!tile.tensor_view<4x8xf32, strides = [1]>)

// -----

// expected-error @below {{expected sizes and strides to be positive or `?`, got 0}}
func.func private @tensor_view_c3(!tile.tensor_view<4xf32, strides = [0]>)

// -----

// expected-error @below {{expected sizes of a tile to be positive powers of two, got 3}}
func.func private @partition_view_c1(!tile.partition_view<[3, 4], !tile.tensor_view<4x8xf32, strides = [8, 1]>>)

// -----

// expected-error @below {{expected tiles of 2 dimensions, like the tensor, got 1}}
func.func private @partition_view_c2(!tile.partition_view<[4], !tile.tensor_view<4x8xf32, strides = [8, 1]>>)

// -----

// expected-error @below {{expected dim_map to be a permutation of 2 dimensions, got [0, 0]}}
func.func private @partition_view_c3(!tile.partition_view<[4, 4], !tile.tensor_view<4x8xf32, strides = [8, 1]>, dim_map = [0, 0]>)

// -----

// expected-error @below {{expected padding with zero for elements of type 'i32', got nan}}
func.func private @partition_view_c4(!tile.partition_view<[4], !tile.tensor_view<4xi32, strides = [1]>, padding = nan>)

// -----

// expected-error @below {{expected `dim_map` or `padding`, got `fill`}}
func.func private @partition_view_word(!tile.partition_view<[4, 4], !tile.tensor_view<4x8xf32, strides = [8, 1]>, fill = zero>)

// -----

// expected-error @below {{expected zero, neg_zero, nan, pos_inf or neg_inf, got `one`}}
func.func private @partition_view_padding(!tile.partition_view<[4, 4], !tile.tensor_view<4x8xf32, strides = [8, 1]>, padding = one>)

// -----

// expected-error @below {{expected the divisor to be a positive power of two, got 12}}
func.func private @div_by_c1() attributes {x = #tile.div_by<12>}

// -----

// expected-error @below {{expected both of `every` and `along`, or none, got `every` alone}}
func.func private @div_by_c2() attributes {x = #tile.div_by<4 every 2>}

// -----

// expected-error @below {{expected the upper bound to be at least 4, got 2}}
func.func private @bounded_c1() attributes {x = #tile.bounded<lower 4 upper 2>}
