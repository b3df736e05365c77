// RUN: tinytc-opt %s --tinytc-attach-target=target=x86-64-v4 --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --tinytc-attach-target=target=cpu --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s --check-prefix=DRIVER

// Every tile of columns reads A again, across its lines if it is transposed.
// CHECK-LABEL: @transposed
//       CHECK:   tinytc.gemm t n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = local_copies, local_bytes = 4096, copies_a = true>}
tinytc.func @transposed(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x32xf32>,
                        %c: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// Native code would convert each element of B by itself.
// CHECK-LABEL: @half
//       CHECK:   tinytc.gemm t n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = local_copies, local_bytes = 3328, copies_a = true, copies_b = true>}
// DRIVER-LABEL: @half
//       DRIVER:   tinytc.gemm t n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = local_copies, local_bytes = 1280, copies_a = true>}
tinytc.func @half(%a: !tinytc.memref<32x20xbf16>, %b: !tinytc.memref<32x16xbf16>,
                  %c: !tinytc.memref<20x16xf32>) {
  %one = tinytc.constant 1.0 : bf16
  %beta = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %beta, %c
    : bf16, !tinytc.memref<32x20xbf16>, !tinytc.memref<32x16xbf16>, f32,
      !tinytc.memref<20x16xf32>
}

// One column reads A once, and sizes that nobody knows have no place.
// CHECK-LABEL: @column
//   CHECK-NOT:   tinytc.strategy
tinytc.func @column(%a: !tinytc.memref<32x32xf32>, %b: !tinytc.memref<32x1xf32>,
                    %c: !tinytc.memref<32x1xf32>, %d: !tinytc.memref<?x32xf32>,
                    %e: !tinytc.memref<32x32xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %one, %c
    : f32, !tinytc.memref<32x32xf32>, !tinytc.memref<32x1xf32>, f32,
      !tinytc.memref<32x1xf32>
  tinytc.gemm t n %one, %d, %d, %one, %e
    : f32, !tinytc.memref<?x32xf32>, !tinytc.memref<?x32xf32>, f32,
      !tinytc.memref<32x32xf32>
}

// Of 256 KiB, A leaves too few for B, and none for the A of another product.
// CHECK-LABEL: @large
//       CHECK:   tinytc.gemm t n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = local_copies, local_bytes = 225216, copies_a = true>}
//       CHECK:   tinytc.gemm t n
//   CHECK-NOT:   tinytc.strategy
tinytc.func @large(%a: !tinytc.memref<320x320xbf16>, %b: !tinytc.memref<320x64xbf16>,
                   %c: !tinytc.memref<320x64xf32>, %d: !tinytc.memref<320x400xbf16>,
                   %e: !tinytc.memref<400x64xf32>) {
  %one = tinytc.constant 1.0 : bf16
  %beta = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %beta, %c
    : bf16, !tinytc.memref<320x320xbf16>, !tinytc.memref<320x64xbf16>, f32,
      !tinytc.memref<320x64xf32>
  tinytc.gemm t n %one, %d, %b, %beta, %e
    : bf16, !tinytc.memref<320x400xbf16>, !tinytc.memref<320x64xbf16>, f32,
      !tinytc.memref<400x64xf32>
}

// The bytes of a given strategy are not there for the products before it.
// CHECK-LABEL: @given
//       CHECK:   tinytc.gemm t n
//   CHECK-NOT:   tinytc.strategy
//       CHECK:   tinytc.gemm n n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = local_copies, local_bytes = 225216, copies_a = true>}
tinytc.func @given(%a: !tinytc.memref<320x320xbf16>, %b: !tinytc.memref<320x64xbf16>,
                   %c: !tinytc.memref<320x64xf32>) {
  %one = tinytc.constant 1.0 : bf16
  %beta = tinytc.constant 1.0 : f32
  tinytc.gemm t n %one, %a, %b, %beta, %c
    : bf16, !tinytc.memref<320x320xbf16>, !tinytc.memref<320x64xbf16>, f32,
      !tinytc.memref<320x64xf32>
  tinytc.gemm n n %one, %a, %b, %beta, %c {
      tinytc.strategy = #tinytc.strategy<kind = local_copies, local_bytes = 225216, copies_a = true>}
    : bf16, !tinytc.memref<320x320xbf16>, !tinytc.memref<320x64xbf16>, f32,
      !tinytc.memref<320x64xf32>
}
