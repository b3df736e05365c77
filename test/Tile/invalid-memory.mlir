// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @make_tensor_view_c1(%p: !tile.tile<!tile.ptr<f32>>) {
  // expected-error @below {{expected 'base' to point to 'f64', got 'f32'}}
  %0 = tile.make_tensor_view %p, shape = [],
      strides = [] : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16xf64, strides = [1]>
  return
}

// -----

func.func @make_tensor_view_c2(%p: !tile.tile<!tile.ptr<f32>>) {
  // expected-error @below {{expected 1 dynamic sizes, got 0}}
  %0 = tile.make_tensor_view %p, shape = [],
      strides = [] : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<?xf32, strides = [1]>
  return
}

// -----

func.func @make_tensor_view_c3(%p: !tile.tile<!tile.ptr<f32>>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected 0 dynamic strides, got 1}}
  %0 = tile.make_tensor_view %p, shape = [],
      strides = [%i : !tile.tile<i32>] : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16xf32, strides = [1]>
  return
}

// -----

func.func @make_tensor_view_c4(%p: !tile.tile<!tile.ptr<f32>>, %i: !tile.tile<i32>, %j: !tile.tile<i64>) {
  // expected-error @below {{expected sizes and strides of one type, '!tile.tile<i32>', got '!tile.tile<i64>'}}
  %0 = tile.make_tensor_view %p, shape = [%i : !tile.tile<i32>],
      strides = [%j : !tile.tile<i64>] : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<?xf32, strides = [?]>
  return
}

// -----

func.func @make_partition_view_c1(%v: !tile.tensor_view<16xf32, strides = [1]>) {
  // expected-error @below {{expected a tensor of type '!tile.tensor_view<8xf32, strides = [1]>', got '!tile.tensor_view<16xf32, strides = [1]>'}}
  %0 = "tile.make_partition_view"(%v)
    : (!tile.tensor_view<16xf32, strides = [1]>) -> !tile.partition_view<[4], !tile.tensor_view<8xf32, strides = [1]>>
  return
}

// -----

func.func @get_tensor_shape_c1(%v: !tile.tensor_view<16xf32, strides = [1]>) {
  // expected-error @below {{expected 1 results, got 2}}
  %0:2 = tile.get_tensor_shape %v : !tile.tensor_view<16xf32, strides = [1]> -> !tile.tile<i32>, !tile.tile<i32>
  return
}

// -----

func.func @get_index_space_shape_c1(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>) {
  // expected-error @below {{expected 1 results, got 2}}
  %0:2 = tile.get_index_space_shape %v
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>> -> !tile.tile<i32>, !tile.tile<i32>
  return
}

// -----

func.func @join_tokens_c1(%t: !tile.token) {
  // expected-error @below {{expected at least two tokens, got 1}}
  %0 = tile.join_tokens %t
  return
}

// -----

func.func @offset_c1(%p: !tile.tile<!tile.ptr<f32>>, %i: !tile.tile<4xi32>) {
  // expected-error @below {{expected 'offset' to have shape (), got (4)}}
  %0 = tile.offset %p, %i : !tile.tile<!tile.ptr<f32>>, !tile.tile<4xi32>
  return
}

// -----

func.func @alloca_c1() {
  // expected-error @below {{expected a positive number of elements, got 0}}
  %0 = tile.alloca num_elem = 0, alignment = 4 : !tile.tile<!tile.ptr<f32>>
  return
}

// -----

func.func @alloca_c2() {
  // expected-error @below {{expected the alignment to be a positive power of two, got 12}}
  %0 = tile.alloca num_elem = 4, alignment = 12 : !tile.tile<!tile.ptr<f32>>
  return
}

// -----

func.func @load_ptr_tko_c1(%p: !tile.tile<!tile.ptr<f32>>) {
  // expected-error @below {{expected weak without a scope, or relaxed or acquire with one, got release with one}}
  %0, %t = tile.load_ptr_tko release scope = device %p : !tile.tile<!tile.ptr<f32>> -> !tile.tile<f32>
  return
}

// -----

func.func @load_ptr_tko_c1_scope(%p: !tile.tile<!tile.ptr<f32>>) {
  // expected-error @below {{expected weak without a scope, or relaxed or acquire with one, got relaxed without one}}
  %0, %t = tile.load_ptr_tko relaxed %p : !tile.tile<!tile.ptr<f32>> -> !tile.tile<f32>
  return
}

// -----

func.func @load_ptr_tko_c2(%p: !tile.tile<!tile.ptr<f32>>) {
  // expected-error @below {{expected 'source' to point to 'f64', got 'f32'}}
  %0, %t = tile.load_ptr_tko weak %p : !tile.tile<!tile.ptr<f32>> -> !tile.tile<f64>
  return
}

// -----

func.func @load_ptr_tko_c3(%p: !tile.tile<!tile.ptr<f32>>) {
  // expected-error @below {{expected 'result' to have shape (), got (4)}}
  %0, %t = tile.load_ptr_tko weak %p : !tile.tile<!tile.ptr<f32>> -> !tile.tile<4xf32>
  return
}

// -----

func.func @load_ptr_tko_c4(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected a mask for the padding, got none}}
  %0, %t = tile.load_ptr_tko weak %p padding %x : !tile.tile<f32> : !tile.tile<!tile.ptr<f32>> -> !tile.tile<f32>
  return
}

// -----

func.func @load_ptr_tko_c4_type(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f64>) {
  // expected-error @below {{expected padding of type '!tile.tile<f32>', got '!tile.tile<f64>'}}
  %0, %t = tile.load_ptr_tko weak %p padding %x : !tile.tile<f64> : !tile.tile<!tile.ptr<f32>> -> !tile.tile<f32>
  return
}

// -----

func.func @load_ptr_tko_c5(%p: !tile.tile<!tile.ptr<f32>>) {
  // expected-error @below {{expected hints for "sm_90" to be a dictionary of integers, got 1 : i64}}
  %0, %t = tile.load_ptr_tko weak %p {optimization_hints = {sm_90 = 1 : i64}} : !tile.tile<!tile.ptr<f32>> -> !tile.tile<f32>
  return
}

// -----

func.func @store_ptr_tko_c1(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected weak without a scope, or relaxed or release with one, got acquire with one}}
  %t = tile.store_ptr_tko acquire scope = device %p, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<f32>
  return
}

// -----

func.func @store_ptr_tko_c2(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<i32>) {
  // expected-error @below {{expected 'destination' to point to 'i32', got 'f32'}}
  %t = tile.store_ptr_tko weak %p, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<i32>
  return
}

// -----

func.func @store_ptr_tko_c3(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected 'value' to have shape (), got (4)}}
  %t = tile.store_ptr_tko weak %p, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<4xf32>
  return
}

// -----

func.func @store_ptr_tko_c4(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected hints for "sm_90" to be a dictionary of integers, got 1 : i64}}
  %t = tile.store_ptr_tko weak %p, %x {optimization_hints = {sm_90 = 1 : i64}} : !tile.tile<!tile.ptr<f32>>, !tile.tile<f32>
  return
}
