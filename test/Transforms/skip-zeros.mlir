// RUN: tinytc-opt %s --tinytc-attach-target=target=x86-64-v4 --tinytc-skip-zeros | FileCheck %s

// Steps of the sum that meet zeros only are left out.
// CHECK-LABEL: @steps
// CHECK-SAME: %[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]: {{.*}}, %[[C:[^:]*]]:
// CHECK-DAG: %[[ONE:.*]] = tinytc.constant 1.0
// CHECK-DAG: %[[A1:.*]] = tinytc.subview %[[A]][0:64, 16:8]
// CHECK-DAG: %[[B1:.*]] = tinytc.subview %[[B]][16:8, 0:8]
// CHECK: tinytc.gemm n n %[[ONE]], %[[A1]], %[[B1]], %[[ONE]], %[[C]]
// CHECK-NOT: tinytc.gemm
tinytc.func @steps(%A: !tinytc.memref<64x64xf64>
                       {tinytc.nonzero = [array<i64: 0, 64, 16, 24>]},
                   %B: !tinytc.memref<64x8xf64>, %C: !tinytc.memref<64x8xf64>) {
  %one = tinytc.constant 1.0 : f64
  tinytc.gemm n n %one, %A, %B, %one, %C
    : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x8xf64>, f64,
      !tinytc.memref<64x8xf64>
}

// A transposed factor: its columns are rows of the destination.
// CHECK-LABEL: @transposed
// CHECK-DAG: tinytc.subview %{{.*}}[0:64, 8:16] : !tinytc.memref<64x64xf64>
// CHECK-DAG: tinytc.subview %{{.*}}[8:16, 0:8] : !tinytc.memref<64x8xf64>
// CHECK: tinytc.gemm t n
// CHECK-NOT: tinytc.gemm
tinytc.func @transposed(%A: !tinytc.memref<64x64xf64>
                            {tinytc.nonzero = [array<i64: 0, 64, 8, 24>]},
                        %B: !tinytc.memref<64x8xf64>, %C: !tinytc.memref<64x8xf64>) {
  %one = tinytc.constant 1.0 : f64
  tinytc.gemm t n %one, %A, %B, %one, %C
    : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x8xf64>, f64,
      !tinytc.memref<64x8xf64>
}

// With a beta of 0, rows of zeros are set by one step.
// CHECK-LABEL: @replaced
// CHECK: tinytc.gemm n n {{.*}} !tinytc.memref<16x64xf64, strided<1,64>>, {{.*}}, !tinytc.memref<16x8xf64, strided<1,64>>
// CHECK: tinytc.gemm n n {{.*}} !tinytc.memref<48x1xf64, strided<1,64>>, !tinytc.memref<1x8xf64, strided<1,64>>, f64, !tinytc.memref<48x8xf64, strided<1,64>>
tinytc.func @replaced(%A: !tinytc.memref<64x64xf64>
                          {tinytc.nonzero = [array<i64: 0, 16, 0, 64>]},
                      %B: !tinytc.memref<64x8xf64>, %C: !tinytc.memref<64x8xf64>) {
  %zero = tinytc.constant 0.0 : f64
  %one = tinytc.constant 1.0 : f64
  tinytc.gemm n n %one, %A, %B, %zero, %C
    : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x8xf64>, f64,
      !tinytc.memref<64x8xf64>
}

// A product in local memory has the pattern of its factor, and nobody sets what nobody
// reads.
// CHECK-LABEL: @chain
// CHECK: tinytc.gemm n n {{.*}} !tinytc.memref<16x64xf64, strided<1,64>>
// CHECK: tinytc.gemm n n {{.*}} !tinytc.memref<16x8xf64, strided<1,64>, local>
// CHECK-NOT: tinytc.gemm
tinytc.func @chain(%A: !tinytc.memref<64x64xf64>
                       {tinytc.nonzero = [array<i64: 0, 16, 0, 64>]},
                   %B: !tinytc.memref<64x8xf64>, %S: !tinytc.memref<8x8xf64>,
                   %C: !tinytc.memref<64x8xf64>) {
  %zero = tinytc.constant 0.0 : f64
  %one = tinytc.constant 1.0 : f64
  %T = tinytc.alloca : !tinytc.memref<64x8xf64, local>
  tinytc.gemm n n %one, %A, %B, %zero, %T
    : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x8xf64>, f64,
      !tinytc.memref<64x8xf64, local>
  tinytc.gemm n n %one, %T, %S, %one, %C
    : f64, !tinytc.memref<64x8xf64, local>, !tinytc.memref<8x8xf64>, f64,
      !tinytc.memref<64x8xf64>
}

// A loop may run again after the product.
// CHECK-LABEL: @negative_loop
// CHECK: tinytc.for
// CHECK-NOT: tinytc.subview
// CHECK: tinytc.gemm n n {{.*}} !tinytc.memref<64x8xf64, local>
tinytc.func @negative_loop(%A: !tinytc.memref<64x64xf64>
                               {tinytc.nonzero = [array<i64: 0, 16, 0, 64>]},
                           %B: !tinytc.memref<64x8xf64>, %S: !tinytc.memref<8x8xf64>,
                           %C: !tinytc.memref<64x8xf64>, %n: index) {
  %zero = tinytc.constant 0.0 : f64
  %one = tinytc.constant 1.0 : f64
  %first = tinytc.constant 0 : index
  %T = tinytc.alloca : !tinytc.memref<64x8xf64, local>
  tinytc.gemm n n %one, %A, %B, %zero, %T
    : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x8xf64>, f64,
      !tinytc.memref<64x8xf64, local>
  tinytc.for %i = %first, %n {
    tinytc.gemm n n %one, %T, %S, %one, %C
      : f64, !tinytc.memref<64x8xf64, local>, !tinytc.memref<8x8xf64>, f64,
        !tinytc.memref<64x8xf64>
    tinytc.axpby n %one, %B, %zero, %T
      : f64, !tinytc.memref<64x8xf64>, f64, !tinytc.memref<64x8xf64, local>
  }
}

// A few zeros do not pay for another product.
// CHECK-LABEL: @negative_small
// CHECK-NOT: tinytc.subview
tinytc.func @negative_small(%A: !tinytc.memref<8x8xf64>
                                {tinytc.nonzero = [array<i64: 0, 4, 0, 8>,
                                                   array<i64: 4, 8, 1, 8>]},
                            %B: !tinytc.memref<8x8xf64>, %C: !tinytc.memref<8x8xf64>) {
  %one = tinytc.constant 1.0 : f64
  tinytc.gemm n n %one, %A, %B, %one, %C
    : f64, !tinytc.memref<8x8xf64>, !tinytc.memref<8x8xf64>, f64,
      !tinytc.memref<8x8xf64>
}

// Zeros of local memory that an element is read from are set.
// CHECK-LABEL: @alloca
// CHECK: %[[REST:.*]] = tinytc.subview %{{.*}}[4:4] : !tinytc.memref<8xf64, local>
// CHECK: tinytc.foreach
// CHECK: tinytc.store %{{.*}}, %[[REST]]
tinytc.func @alloca(%A: !tinytc.memref<8xf64> {tinytc.nonzero = [array<i64: 0, 4>]},
                    %i: index, %C: !tinytc.memref<f64>) {
  %zero = tinytc.constant 0.0 : f64
  %one = tinytc.constant 1.0 : f64
  %T = tinytc.alloca {nonzero = [array<i64: 0, 4>]} : !tinytc.memref<8xf64, local>
  tinytc.axpby n %one, %A, %zero, %T
    : f64, !tinytc.memref<8xf64>, f64, !tinytc.memref<8xf64, local>
  %x = tinytc.load %T[%i] : !tinytc.memref<8xf64, local>
  tinytc.store %x, %C[] : f64, !tinytc.memref<f64>
}
