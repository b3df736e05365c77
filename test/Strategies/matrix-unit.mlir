// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=intel-gpu:pvc \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// Numbers that are read one by one take more registers: their tile is smaller.
// CHECK-LABEL: @static
//       CHECK:   tinytc.gemm {{.*}} {tinytc.strategy = #tinytc.strategy<kind = matrix_unit,
//  CHECK-SAME:     rows = 32, columns = 32, element_rows = 32, element_columns = 16>}
tinytc.func @static(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<?x?xf16>
!c = !tinytc.memref<?x?xf32>

// CHECK-LABEL: @dynamic
//       CHECK:   <kind = matrix_unit, rows = 32, columns = 32, element_rows = 32, element_columns = 16>
tinytc.func @dynamic(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// CHECK-LABEL: @scheduled
//       CHECK:   <kind = matrix_unit, rows = 16, columns = 8, element_rows = 16, element_columns = 8>
tinytc.func @scheduled(%alpha: f16, %a: !m, %beta: f32, %c: !c)
    attributes {schedule = #tinytc.schedule<rows = 1, columns = 8>} {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<64x64xf32>

// CHECK-LABEL: @kept
//       CHECK:   tinytc.gemm n n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = work_items>}
//       CHECK:   tinytc.gemm t t {{.*}} {tinytc.strategy = #tinytc.strategy<kind = matrix_unit,
tinytc.func @kept(%alpha: f16, %a: !m, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {tinytc.strategy = #tinytc.strategy<kind = work_items>} : f16, !m, !m, f32, !c
  tinytc.gemm t t %alpha, %a, %a, %beta, %c : f16, !m, !m, f32, !c
}

// -----

!m = !tinytc.memref<64x64xf32>

// Without TF32, no unit multiplies f32.
// CHECK-LABEL: @negative_type
//   CHECK-NOT:   tinytc.strategy
tinytc.func @negative_type(%alpha: f32, %a: !m, %c: !m) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : f32, !m, !m, f32, !m
}

// -----

!m = !tinytc.memref<7x64xf16>
!b = !tinytc.memref<64x64xf16>
!c = !tinytc.memref<7x64xf32>

// Less than half of the rows of an operation.
// CHECK-LABEL: @negative_rows
//   CHECK-NOT:   tinytc.strategy
tinytc.func @negative_rows(%alpha: f16, %a: !m, %b: !b, %beta: f32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !m, !b, f32, !c
}

// -----

!a = !tinytc.coopmatrix<16x16xf16, matrix_a>
!b = !tinytc.coopmatrix<16x16xf16, matrix_b>
!c = !tinytc.coopmatrix<16x16xf32, matrix_acc>
!p = !tinytc.coopmatrix<16x15xf16, matrix_a>
!q = !tinytc.coopmatrix<15x16xf16, matrix_b>

// CHECK-LABEL: @cooperative_matrices
//       CHECK:   tinytc.cooperative_matrix_mul_add {{.*}} {tinytc.strategy = #tinytc.strategy<kind = matrix_unit>}
//       CHECK:   tinytc.cooperative_matrix_mul_add {{.*}} {tinytc.strategy = #tinytc.strategy<kind = work_items>}
tinytc.func @cooperative_matrices(%x: !tinytc.memref<64x64xf16>, %y: !tinytc.memref<64x64xf32>, %i: index) {
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %x[%i, %i] : !tinytc.memref<64x64xf16> -> !a
    %b = tinytc.cooperative_matrix_load n %x[%i, %i] : !tinytc.memref<64x64xf16> -> !b
    %c = tinytc.cooperative_matrix_load n %y[%i, %i] : !tinytc.memref<64x64xf32> -> !c
    %p = tinytc.cooperative_matrix_load n %x[%i, %i] : !tinytc.memref<64x64xf16> -> !p
    %q = tinytc.cooperative_matrix_load n %x[%i, %i] : !tinytc.memref<64x64xf16> -> !q
    %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c : !a, !b, !c -> !c
    %1 = tinytc.cooperative_matrix_mul_add %p, %q, %0 : !p, !q, !c -> !c
  }
}

// -----

!m = !tinytc.memref<64x64xi8>
!a = !tinytc.coopmatrix<32x32xi8, matrix_a>
!b = !tinytc.coopmatrix<32x32xi8, matrix_b>
!c = !tinytc.coopmatrix<32x32xi32, matrix_acc>

// Only products use the first matrix: messages bring two rows of it to a work-item. The
// components of the second one are stored, in the order of the language.
// CHECK-LABEL: @pairs
//       CHECK:   tinytc.cooperative_matrix_load n %{{.*}}[{{.*}}] {tinytc.strategy = #tinytc.strategy<kind = matrix_unit, rows = 2>}
//       CHECK:   tinytc.cooperative_matrix_load n %{{.*}}[{{.*}}] :
//       CHECK:   tinytc.cooperative_matrix_mul_add {{.*}}<kind = matrix_unit, rows = 2>
//       CHECK:   tinytc.cooperative_matrix_mul_add {{.*}}<kind = matrix_unit>
tinytc.func @pairs(%m: !m, %n: !tinytc.memref<64x64xi32>) {
  %x = tinytc.constant 2 : index
  tinytc.parallel {
    %a = tinytc.cooperative_matrix_load n %m[%x, %x] : !m -> !a
    %b = tinytc.cooperative_matrix_load n %m[%x, %x] : !m -> !b
    %c = tinytc.cooperative_matrix_load n %n[%x, %x] : !tinytc.memref<64x64xi32> -> !c
    %d = tinytc.cooperative_matrix_load n %m[%x, %x] : !m -> !b
    %e = tinytc.cooperative_matrix_mul_add %a, %b, %c : !a, !b, !c -> !c
    %f = tinytc.cooperative_matrix_mul_add %a, %d, %e : !a, !b, !c -> !c
    tinytc.cooperative_matrix_store %d, %m[%x, %x] : !b, !m
  }
}
