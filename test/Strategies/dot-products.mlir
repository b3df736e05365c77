// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=x86-64-v3 \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=aarch64 \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   | FileCheck %s --check-prefix=ARM
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=cpu \
// RUN:   --tinytc-choose-work-group-size --tinytc-choose-strategies \
// RUN:   | FileCheck %s --check-prefix=CPU

// CPU-NOT: dot_products

!a = !tinytc.memref<20x9xi8>
!b = !tinytc.memref<9x7xi8>
!c = !tinytc.memref<20x7xi32>

// A has 5 words of two numbers in each row, with 32 rows of space, B 5 in a column. With
// four numbers in a word, that is 3.
// CHECK-LABEL: @bytes
//       CHECK:   tinytc.strategy = #tinytc.strategy<kind = dot_products, local_bytes = 832>
//   ARM-LABEL: @bytes
//         ARM:   tinytc.strategy = #tinytc.strategy<kind = dot_products, local_bytes = 512>
tinytc.func @bytes(%alpha: i8, %a: !a, %b: !b, %beta: i32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : i8, !a, !b, i32, !c
}

// -----

!a = !tinytc.memref<9x20xi16>
!b = !tinytc.memref<9x7xi8>
!c = !tinytc.memref<20x7xi32>

// A that is transposed is copied as it is, too. There is no instruction for four of its
// numbers.
// CHECK-LABEL: @transposed
//       CHECK:   <kind = dot_products, local_bytes = 1280>
//   ARM-LABEL: @transposed
//     ARM-NOT:   dot_products
tinytc.func @transposed(%alpha: i8, %a: !a, %b: !b, %beta: i32, %c: !c) {
  tinytc.gemm t n %alpha, %a, %b, %beta, %c : i8, !a, !b, i32, !c
}

// -----

!a = !tinytc.memref<20x?xi8>
!b = !tinytc.memref<?x7xi8>
!c = !tinytc.memref<20x7xi32>

// CHECK-LABEL: @unknown_size
//   CHECK-NOT:   dot_products
tinytc.func @unknown_size(%alpha: i8, %a: !a, %b: !b, %beta: i32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : i8, !a, !b, i32, !c
}

// -----

!a = !tinytc.memref<20x9xi8>
!b = !tinytc.memref<9x1xi8>
!c = !tinytc.memref<20x1xi32>

// A single column does not pay for packing A.
// CHECK-LABEL: @column
//   CHECK-NOT:   dot_products
tinytc.func @column(%alpha: i8, %a: !a, %b: !b, %beta: i32, %c: !c) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : i8, !a, !b, i32, !c
}

// -----

!m = !tinytc.memref<20x20xi8>

// Sums of bytes are bytes.
// CHECK-LABEL: @sums_of_bytes
//   CHECK-NOT:   dot_products
tinytc.func @sums_of_bytes(%alpha: i8, %a: !m, %c: !m) {
  tinytc.gemm n n %alpha, %a, %a, %alpha, %c : i8, !m, !m, i8, !m
}
