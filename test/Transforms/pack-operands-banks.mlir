// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc-attach-target{target=cuda:sm_90},tinytc-choose-work-group-size,tinytc-choose-strategies,tinytc.func(tinytc-pack-operands))' | FileCheck %s

// 8 x 4 lanes write parts of four columns at once: an odd multiple of 8 rows apart, they
// use all banks.
// CHECK-LABEL: @spread
//       CHECK:   tinytc.alloca : !tinytc.memref<32x32xf32, strided<1,40>, local>
//       CHECK:   tinytc.axpby t
//       CHECK:   tinytc.gemm n n
tinytc.func @spread(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                    %c: !tinytc.memref<32x32xf32>)
    attributes {subgroup_size = 8 : i32, work_group_size = array<i32: 8, 4>} {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// Columns that are an odd multiple apart stay so.
// CHECK-LABEL: @odd
//       CHECK:   tinytc.alloca : !tinytc.memref<24x32xf64, local>
tinytc.func @odd(%a: !tinytc.memref<32x24xf64>, %b: !tinytc.memref<32x32xf64>,
                 %c: !tinytc.memref<24x32xf64>)
    attributes {subgroup_size = 8 : i32, work_group_size = array<i32: 8, 4>} {
  %one = tinytc.constant 1.0 : f64
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f64, !tinytc.memref<32x24xf64>, !tinytc.memref<32x32xf64>, f64,
      !tinytc.memref<24x32xf64>
}

// Lanes along rows use all banks, or there is one column at a time.
// CHECK-LABEL: @rows
//       CHECK:   tinytc.alloca : !tinytc.memref<32x32xf64, local>
tinytc.func @rows(%a: !tinytc.memref<32x32xf64>, %b: !tinytc.memref<32x32xf64>,
                  %c: !tinytc.memref<32x32xf64>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 2>} {
  %one = tinytc.constant 1.0 : f64
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f64, !tinytc.memref<32x32xf64>, !tinytc.memref<32x32xf64>, f64,
      !tinytc.memref<32x32xf64>
}

// CHECK-LABEL: @column
//       CHECK:   tinytc.alloca : !tinytc.memref<32x32xf32, local>
tinytc.func @column(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                    %c: !tinytc.memref<32x32xf32>)
    attributes {subgroup_size = 8 : i32, work_group_size = array<i32: 8, 1>} {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}
