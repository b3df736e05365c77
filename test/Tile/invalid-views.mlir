// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @load_view_tko_c1(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected weak without a scope, or relaxed or acquire with one, got weak with one}}
  %0, %t = tile.load_view_tko weak scope = sys %v[%i]
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>] -> !tile.tile<4xf32>
  return
}

// -----

func.func @load_view_tko_c2(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected 1 indices, got 2}}
  %0, %t = tile.load_view_tko weak %v[%i, %i]
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>, !tile.tile<i32>] -> !tile.tile<4xf32>
  return
}

// -----

func.func @load_view_tko_c3(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected 'tile' to have type '!tile.tile<4xf32>', got '!tile.tile<8xf32>'}}
  %0, %t = tile.load_view_tko weak %v[%i]
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>] -> !tile.tile<8xf32>
  return
}

// -----

func.func @load_view_tko_c4(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>) {
  // expected-error @below {{expected hints for "sm_90" to be a dictionary of integers, got 1 : i64}}
  %0, %t = tile.load_view_tko weak %v[%i] {optimization_hints = {sm_90 = 1 : i64}}
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>] -> !tile.tile<4xf32>
  return
}

// -----

func.func @store_view_tko_c1(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected weak without a scope, or relaxed or release with one, got acq_rel with one}}
  %t = tile.store_view_tko acq_rel scope = device %x, %v[%i]
      : !tile.tile<4xf32>, !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>]
  return
}

// -----

func.func @store_view_tko_c2(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected 1 indices, got 2}}
  %t = tile.store_view_tko weak %x, %v[%i, %i]
      : !tile.tile<4xf32>, !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>, !tile.tile<i32>]
  return
}

// -----

func.func @store_view_tko_c3(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected 'tile' to have type '!tile.tile<4xf32>', got '!tile.tile<f32>'}}
  %t = tile.store_view_tko weak %x, %v[%i]
      : !tile.tile<f32>, !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>]
  return
}

// -----

func.func @store_view_tko_c4(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected hints for "sm_90" to be a dictionary of integers, got 1 : i64}}
  %t = tile.store_view_tko weak %x, %v[%i] {optimization_hints = {sm_90 = 1 : i64}}
      : !tile.tile<4xf32>, !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>]
  return
}

// -----

func.func @atomic_rmw_tko_c1(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected relaxed, acquire, release or acq_rel, got weak}}
  %0, %t = tile.atomic_rmw_tko weak device %p, addf, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<f32>
  return
}

// -----

func.func @atomic_rmw_tko_c2(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f64>) {
  // expected-error @below {{expected 'pointers' to point to 'f64', got 'f32'}}
  %0, %t = tile.atomic_rmw_tko relaxed device %p, addf, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<f64>
  return
}

// -----

func.func @atomic_rmw_tko_c3(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected 'arg' to have shape (), got (4)}}
  %0, %t = tile.atomic_rmw_tko relaxed device %p, addf, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<4xf32>
  return
}

// -----

func.func @atomic_rmw_tko_c4(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected elements of a type that add updates, got 'f32'}}
  %0, %t = tile.atomic_rmw_tko relaxed device %p, add, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<f32>
  return
}

// -----

func.func @atomic_cas_tko_c1(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected relaxed, acquire, release or acq_rel, got weak}}
  %0, %t = tile.atomic_cas_tko weak device %p, %x, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<f32>
  return
}

// -----

func.func @atomic_cas_tko_c2(%p: !tile.tile<!tile.ptr<f16>>, %x: !tile.tile<f16>) {
  // expected-error @below {{expected elements of 32 or 64 bits, got 16}}
  %0, %t = tile.atomic_cas_tko relaxed device %p, %x, %x : !tile.tile<!tile.ptr<f16>>, !tile.tile<f16>
  return
}

// -----

func.func @atomic_cas_tko_c3(%p: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected 'val' to have shape (), got (4)}}
  %0, %t = tile.atomic_cas_tko relaxed device %p, %x, %x : !tile.tile<!tile.ptr<f32>>, !tile.tile<4xf32>
  return
}

// -----

func.func @atomic_red_view_tko_c1(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected relaxed, acquire, release or acq_rel, got weak}}
  %t = tile.atomic_red_view_tko weak device %v[%i], addf, %x
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>], !tile.tile<4xf32>
  return
}

// -----

func.func @atomic_red_view_tko_c2(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected 1 indices, got 2}}
  %t = tile.atomic_red_view_tko relaxed device %v[%i, %i], addf, %x
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>, !tile.tile<i32>], !tile.tile<4xf32>
  return
}

// -----

func.func @atomic_red_view_tko_c3(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<f32>) {
  // expected-error @below {{expected 'value' to have type '!tile.tile<4xf32>', got '!tile.tile<f32>'}}
  %t = tile.atomic_red_view_tko relaxed device %v[%i], addf, %x
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>], !tile.tile<f32>
  return
}

// -----

func.func @atomic_red_view_tko_c4(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected a mode other than xchg, got xchg}}
  %t = tile.atomic_red_view_tko relaxed device %v[%i], xchg, %x
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>], !tile.tile<4xf32>
  return
}

// -----

func.func @atomic_red_view_tko_c4_type(%v: !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>, %i: !tile.tile<i32>, %x: !tile.tile<4xf32>) {
  // expected-error @below {{expected elements of a type that umax updates, got 'f32'}}
  %t = tile.atomic_red_view_tko relaxed device %v[%i], umax, %x
      : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>[!tile.tile<i32>], !tile.tile<4xf32>
  return
}
