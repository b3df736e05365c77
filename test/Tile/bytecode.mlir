// REQUIRES: tileiras
// RUN: tinytc-opt %s --tile-write-bytecode=output=%t.tileirbc
// RUN: tileirdisasm %t.tileirbc | FileCheck %s
// RUN: tileiras --gpu-name=sm_90 %t.tileirbc -o %t.cubin

// C^T = B^T A^T for a batch of column-major matrices with a mode of the batch.
tile.module @kernels {
  // CHECK-LABEL: entry @gemm
  tile.entry @gemm(%alpha: !tile.tile<f32>, %A: !tile.tile<!tile.ptr<f32>>,
                   %B: !tile.tile<!tile.ptr<f32>>, %C: !tile.tile<!tile.ptr<f32>>,
                   %n: !tile.tile<i64>)
      attributes {optimization_hints = {sm_90 = {num_cta_in_cga = 1 : i32}}} {
    // CHECK: get_tile_block_id
    %g, %y, %z = tile.get_tile_block_id
    %zero = tile.constant dense<0> : !tile.tile<i32>
    // CHECK: assume div_by<16>
    %a0 = tile.assume #tile.div_by<16>, %A : !tile.tile<!tile.ptr<f32>>
    // CHECK: make_tensor_view {{.*}} tensor_view<?x32x32xf32, strides=[1024,32,1]>
    %a1 = tile.make_tensor_view %a0, shape = [%n : !tile.tile<i64>], strides = []
      : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>
    %b1 = tile.make_tensor_view %B, shape = [%n : !tile.tile<i64>], strides = []
      : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>
    %c1 = tile.make_tensor_view %C, shape = [%n : !tile.tile<i64>], strides = []
      : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>
    // CHECK: make_partition_view {{.*}}tile=(1x32x32), padding_value = zero
    %a2 = tile.make_partition_view %a1 : !tile.partition_view<[1, 32, 32],
      !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>, padding = zero>
    %b2 = tile.make_partition_view %b1 : !tile.partition_view<[1, 32, 32],
      !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>>
    %c2 = tile.make_partition_view %c1 : !tile.partition_view<[1, 32, 32],
      !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>>
    // CHECK: load_view_tko weak
    // CHECK-SAME: -> tile<1x32x32xf32>, token
    %a3, %t0 = tile.load_view_tko weak %a2[%g, %zero, %zero]
      : !tile.partition_view<[1, 32, 32],
          !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>, padding = zero>
        [!tile.tile<i32>, !tile.tile<i32>, !tile.tile<i32>] -> !tile.tile<1x32x32xf32>
    %b3, %t1 = tile.load_view_tko weak %b2[%g, %zero, %zero]
      : !tile.partition_view<[1, 32, 32],
          !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>>
        [!tile.tile<i32>, !tile.tile<i32>, !tile.tile<i32>] -> !tile.tile<1x32x32xf32>
    %sum = tile.constant dense<0.0> : !tile.tile<1x32x32xf32>
    // CHECK: mmaf
    // CHECK-SAME: tile<1x32x32xf32>, tile<1x32x32xf32>, tile<1x32x32xf32>
    %p = tile.mmaf %b3, %a3, %sum
      : !tile.tile<1x32x32xf32>, !tile.tile<1x32x32xf32>, !tile.tile<1x32x32xf32>
    %s = tile.reshape %alpha : !tile.tile<f32> -> !tile.tile<1x1x1xf32>
    %w = tile.broadcast %s : !tile.tile<1x1x1xf32> -> !tile.tile<1x32x32xf32>
    // CHECK: mulf
    %q = tile.mulf %w, %p : !tile.tile<1x32x32xf32>
    // CHECK: join_tokens
    %t2 = tile.join_tokens %t0, %t1
    // CHECK: store_view_tko weak
    // CHECK-SAME: token = %
    %t3 = tile.store_view_tko weak %q, %c2[%g, %zero, %zero] token %t2
      : !tile.tile<1x32x32xf32>, !tile.partition_view<[1, 32, 32],
          !tile.tensor_view<?x32x32xf32, strides = [1024, 32, 1]>>
        [!tile.tile<i32>, !tile.tile<i32>, !tile.tile<i32>]
    // CHECK: return
    tile.return
  }
}
