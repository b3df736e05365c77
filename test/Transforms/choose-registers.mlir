// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=intel-gpu:pvc \
// RUN:   --tinytc-choose-registers | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=cpu \
// RUN:   --tinytc-choose-registers | FileCheck %s --check-prefix=CPU
// RUN: tinytc-opt %s --split-input-file \
// RUN:   --tinytc-attach-target="target=intel-gpu:pvc registers=128" \
// RUN:   --tinytc-choose-registers | FileCheck %s --check-prefix=GIVEN

// CPU-NOT: registers
// GIVEN-NOT: registers = 256

// Larger tiles need fewer instructions for the same arrays of all groups.
// CHECK-LABEL: module
//  CHECK-SAME:   max_work_group_size = 512
//  CHECK-SAME:   registers = 256
tinytc.func @limited_by_instructions(%a: !tinytc.memref<64x64xf64>, %b: !tinytc.memref<64x64xf64>,
                    %c: !tinytc.memref<64x64xf64>) {
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x64xf64>, f64,
      !tinytc.memref<64x64xf64>
}

// -----

// Each group has arrays of its own, and the memory is as slow as before.
// CHECK-LABEL: module
//   CHECK-NOT:   registers
//       CHECK: @negative_limited_by_memory
tinytc.func @negative_limited_by_memory(%a: !tinytc.memref<32x32x?xf32>,
                                        %b: !tinytc.memref<32x32x?xf32>,
                                        %c: !tinytc.memref<32x32x?xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  %g = tinytc.builtin.group_id : index
  %0 = tinytc.subview %a[0:32, 0:32, %g]
    : !tinytc.memref<32x32x?xf32> -> !tinytc.memref<32x32xf32>
  %1 = tinytc.subview %b[0:32, 0:32, %g]
    : !tinytc.memref<32x32x?xf32> -> !tinytc.memref<32x32xf32>
  %2 = tinytc.subview %c[0:32, 0:32, %g]
    : !tinytc.memref<32x32x?xf32> -> !tinytc.memref<32x32xf32>
  tinytc.gemm n n %one, %0, %1, %zero, %2
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// -----

// A few instructions after each wait for memory: more threads are better.
// CHECK-LABEL: module
//   CHECK-NOT:   registers
//       CHECK: @negative_limited_by_waiting
tinytc.func @negative_limited_by_waiting(%a: !tinytc.memref<16x8xf32>,
                                         %b: !tinytc.memref<8x16xf32>,
                                         %c: !tinytc.memref<16x16xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<16x8xf32>, !tinytc.memref<8x16xf32>, f32,
      !tinytc.memref<16x16xf32>
}

// -----

// Half as many threads would not be a whole work-group.
// CHECK-LABEL: module
//   CHECK-NOT:   registers
//       CHECK: @negative_large_work_group
tinytc.func @negative_large_work_group(%a: !tinytc.memref<64x64xf64>, %b: !tinytc.memref<64x64xf64>,
                    %c: !tinytc.memref<64x64xf64>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 64, 16>} {
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x64xf64>, f64,
      !tinytc.memref<64x64xf64>
}

// -----

// The matrix unit has tiles of its own.
// CHECK-LABEL: module
//   CHECK-NOT:   registers
//       CHECK: @negative_matrix_unit
tinytc.func @negative_matrix_unit(%a: !tinytc.memref<64x64xf16>, %b: !tinytc.memref<64x64xf16>,
                    %c: !tinytc.memref<64x64xf16>) {
  %one = tinytc.constant 1.0 : f16
  %zero = tinytc.constant 0.0 : f16
  tinytc.gemm n n %one, %a, %b, %zero, %c
    : f16, !tinytc.memref<64x64xf16>, !tinytc.memref<64x64xf16>, f16,
      !tinytc.memref<64x64xf16>
}

// -----

// The sums fill half of the registers, and factors of bytes do not fit beside them.
// CHECK-LABEL: module
//  CHECK-SAME:   registers = 256
tinytc.func @products_in_a_loop(%a: !tinytc.memref<32x1024xi8>,
                              %b: !tinytc.memref<1024x32xi8>,
                              %c: !tinytc.memref<32x32xi32>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  %z = tinytc.constant 0 : index
  %step = tinytc.constant 32 : index
  %end = tinytc.constant 1024 : index
  %zero = tinytc.constant 0 : i32 -> !tinytc.coopmatrix<32x32xi32, matrix_acc>
  tinytc.parallel {
    %r = tinytc.for %k = %z, %end, %step init(%s = %zero)
        -> (!tinytc.coopmatrix<32x32xi32, matrix_acc>) {
      %a_k = tinytc.cooperative_matrix_load n %a[%z, %k]
        : !tinytc.memref<32x1024xi8> -> !tinytc.coopmatrix<32x32xi8, matrix_a>
      %b_k = tinytc.cooperative_matrix_load n %b[%k, %z]
        : !tinytc.memref<1024x32xi8> -> !tinytc.coopmatrix<32x32xi8, matrix_b>
      %e = tinytc.cooperative_matrix_mul_add %a_k, %b_k, %s
        : !tinytc.coopmatrix<32x32xi8, matrix_a>, !tinytc.coopmatrix<32x32xi8, matrix_b>,
          !tinytc.coopmatrix<32x32xi32, matrix_acc> -> !tinytc.coopmatrix<32x32xi32, matrix_acc>
      tinytc.yield %e : !tinytc.coopmatrix<32x32xi32, matrix_acc>
    }
    tinytc.cooperative_matrix_store %r, %c[%z, %z]
      : !tinytc.coopmatrix<32x32xi32, matrix_acc>, !tinytc.memref<32x32xi32>
  }
}

// -----

// Blocks of 16 bits fit beside them.
// CHECK-LABEL: module
//   CHECK-NOT:   registers
//       CHECK: @negative_blocks
tinytc.func @negative_blocks(%a: !tinytc.memref<32x1024xf16>,
                              %b: !tinytc.memref<1024x32xf16>,
                              %c: !tinytc.memref<32x32xf32>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  %z = tinytc.constant 0 : index
  %step = tinytc.constant 32 : index
  %end = tinytc.constant 1024 : index
  %zero = tinytc.constant 0.0 : f32 -> !tinytc.coopmatrix<32x32xf32, matrix_acc>
  tinytc.parallel {
    %r = tinytc.for %k = %z, %end, %step init(%s = %zero)
        -> (!tinytc.coopmatrix<32x32xf32, matrix_acc>) {
      %a_k = tinytc.cooperative_matrix_load n %a[%z, %k]
        : !tinytc.memref<32x1024xf16> -> !tinytc.coopmatrix<32x32xf16, matrix_a>
      %b_k = tinytc.cooperative_matrix_load n %b[%k, %z]
        : !tinytc.memref<1024x32xf16> -> !tinytc.coopmatrix<32x32xf16, matrix_b>
      %e = tinytc.cooperative_matrix_mul_add %a_k, %b_k, %s
        : !tinytc.coopmatrix<32x32xf16, matrix_a>, !tinytc.coopmatrix<32x32xf16, matrix_b>,
          !tinytc.coopmatrix<32x32xf32, matrix_acc> -> !tinytc.coopmatrix<32x32xf32, matrix_acc>
      tinytc.yield %e : !tinytc.coopmatrix<32x32xf32, matrix_acc>
    }
    tinytc.cooperative_matrix_store %r, %c[%z, %z]
      : !tinytc.coopmatrix<32x32xf32, matrix_acc>, !tinytc.memref<32x32xf32>
  }
}

// -----

// CHECK-LABEL: module
//   CHECK-NOT:   registers
//       CHECK: @negative_without_loop
tinytc.func @negative_without_loop(%a: !tinytc.memref<32x1024xi8>,
                              %b: !tinytc.memref<1024x32xi8>,
                              %c: !tinytc.memref<32x32xi32>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  %z = tinytc.constant 0 : index
  %step = tinytc.constant 32 : index
  %end = tinytc.constant 1024 : index
  %zero = tinytc.constant 0 : i32 -> !tinytc.coopmatrix<32x32xi32, matrix_acc>
  tinytc.parallel {
      %a_k = tinytc.cooperative_matrix_load n %a[%z, %z]
        : !tinytc.memref<32x1024xi8> -> !tinytc.coopmatrix<32x32xi8, matrix_a>
      %b_k = tinytc.cooperative_matrix_load n %b[%z, %z]
        : !tinytc.memref<1024x32xi8> -> !tinytc.coopmatrix<32x32xi8, matrix_b>
      %e = tinytc.cooperative_matrix_mul_add %a_k, %b_k, %zero
        : !tinytc.coopmatrix<32x32xi8, matrix_a>, !tinytc.coopmatrix<32x32xi8, matrix_b>,
          !tinytc.coopmatrix<32x32xi32, matrix_acc> -> !tinytc.coopmatrix<32x32xi32, matrix_acc>
    tinytc.cooperative_matrix_store %e, %c[%z, %z]
      : !tinytc.coopmatrix<32x32xi32, matrix_acc>, !tinytc.memref<32x32xi32>
  }
}
