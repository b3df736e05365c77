// RUN: tinytc-opt %s --split-input-file --tinytc-choose-work-group-size | FileCheck %s

// The preferred size is 16: the largest supported one below it, or else the smallest.
// CHECK: @largest_below
//  CHECK-SAME: subgroup_size = 8 : i32
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [4, 8], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true>} {
  tinytc.func @largest_below() {
    tinytc.parallel {}
  }
}

// -----

// CHECK: @smallest
//  CHECK-SAME: subgroup_size = 32 : i32
module attributes {tinytc.target = #tinytc.target<
  name = "intel-gpu:pvc", family = intel_gpu, subgroup_sizes = [32],
  max_work_group_size = 64, local_memory_bytes = 64, f64 = true>} {
  tinytc.func @smallest(%alpha: f32, %a: !tinytc.memref<8x3xf32>) {
    tinytc.axpby n %alpha, %a, %alpha, %a
      : f32, !tinytc.memref<8x3xf32>, f32, !tinytc.memref<8x3xf32>
  }
}

// -----

// The size that the matrix unit multiplies for, although tiles would fit the preferred one.
// CHECK: @tiles_and_a_product_on_the_matrix_unit
//  CHECK-SAME: subgroup_size = 8 : i32
module attributes {tinytc.target = #tinytc.target<
  name = "intel-gpu:dg2", family = intel_gpu, subgroup_sizes = [8, 16, 32],
  max_work_group_size = 1024, local_memory_bytes = 65536, f64 = false>} {
  tinytc.func @tiles_and_a_product_on_the_matrix_unit(%one: i8, %A: !tinytc.memref<32x32xi8>,
                                                      %C: !tinytc.memref<32x32xi32>) {
    %zero = tinytc.constant 0 : i32
    %from = tinytc.constant 0 : index
    %to = tinytc.constant 32 : index
    tinytc.gemm n n %one, %A, %A, %zero, %C
      : i8, !tinytc.memref<32x32xi8>, !tinytc.memref<32x32xi8>, i32, !tinytc.memref<32x32xi32>
    tinytc.foreach_tile (%i) = (%from), (%to) as (%m) <= (32) {
    }
  }
}
