// RUN: tinytc-opt %s --tinytc-check-zeros=report --verify-diagnostics

// Patterns go through chains.
tinytc.func @chain(%A: !tinytc.memref<8x8xf64>
                       {tinytc.nonzero = [array<i64: 0, 8, 2, 4>]},
                   %B: !tinytc.memref<8x6xf64>
                       {tinytc.nonzero = [array<i64: 0, 8, 0, 2>, array<i64: 6, 8, 4, 6>]},
                   %C: !tinytc.memref<6x5xf64>, %D: !tinytc.memref<8x5xf64>) {
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  %0 = tinytc.alloca : !tinytc.memref<8x6xf64, local>
  // expected-remark @+1 {{its product is zero but for [0:8, 0:2]}}
  tinytc.gemm n n %one, %A, %B, %zero, %0
    : f64, !tinytc.memref<8x8xf64>, !tinytc.memref<8x6xf64>, f64, !tinytc.memref<8x6xf64, local>
  tinytc.gemm n n %one, %0, %C, %one, %D
    : f64, !tinytc.memref<8x6xf64, local>, !tinytc.memref<6x5xf64>, f64, !tinytc.memref<8x5xf64>
  %1 = tinytc.subview %0[0:8, 2:4]
    : !tinytc.memref<8x6xf64, local> -> !tinytc.memref<8x4xf64, strided<1,8>, local>
  %2 = tinytc.subview %C[0:4, 0:5] : !tinytc.memref<6x5xf64> -> !tinytc.memref<4x5xf64, strided<1,6>>
  // expected-remark @+1 {{its product is zero}}
  tinytc.gemm n n %one, %1, %2, %one, %D
    : f64, !tinytc.memref<8x4xf64, strided<1,8>, local>, !tinytc.memref<4x5xf64, strided<1,6>>,
      f64, !tinytc.memref<8x5xf64>
}
