// RUN: tinytc-opt %s --tinytc-attach-target=target=cpu --tinytc-choose-work-group-size \
// RUN:   | FileCheck %s

!m = !tinytc.memref<16x16xcomplex<f32>>

// A driver that takes long for much code gets small tiles.
// CHECK-LABEL: @many
//  CHECK-SAME:   schedule = #tinytc.schedule<rows = 1, columns = 4>
tinytc.func @many(%alpha: complex<f32>, %a: !m, %c: !m) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
}

// CHECK-LABEL: @given
//  CHECK-SAME:   schedule = #tinytc.schedule<rows = 2, columns = 2>
tinytc.func @given(%alpha: complex<f32>, %a: !m, %c: !m)
    attributes {schedule = #tinytc.schedule<rows = 2, columns = 2>} {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
}

// CHECK-LABEL: @negative_few
//   CHECK-NOT:   schedule = #tinytc.schedule<rows
tinytc.func @negative_few(%alpha: complex<f32>, %a: !m, %c: !m) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : complex<f32>, !m, !m, complex<f32>, !m
}
