// RUN: tinytc-opt %s --tinytc-allocate-local-memory | FileCheck %s

!small = !tinytc.memref<4xf32, local>
!large = !tinytc.memref<100xf32, local>

// CHECK-LABEL: @side_by_side
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//  CHECK-NEXT:   tinytc.alloca {tinytc.local_offset = 448 : i64}
tinytc.func @side_by_side() {
  %a = tinytc.alloca : !large
  %b = tinytc.alloca : !small
}

// CHECK-LABEL: @after_a_stop
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
tinytc.func @after_a_stop() {
  %a = tinytc.alloca : !large
  tinytc.lifetime_stop %a : !large
  %b = tinytc.alloca : !small
}

// CHECK-LABEL: @in_the_gap
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//  CHECK-NEXT:   tinytc.alloca {tinytc.local_offset = 448 : i64}
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//  CHECK-NEXT:   tinytc.alloca {tinytc.local_offset = 512 : i64}
tinytc.func @in_the_gap() {
  %a = tinytc.alloca : !large
  %b = tinytc.alloca : !small
  tinytc.lifetime_stop %a : !large
  %c = tinytc.alloca : !small
  %d = tinytc.alloca : !large
}

// An inner block ends only the lives of its own allocas.
// CHECK-LABEL: @blocks
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//       CHECK:   tinytc.if
//       CHECK:     tinytc.alloca {tinytc.local_offset = 64 : i64}
//       CHECK:   } else {
//       CHECK:     tinytc.alloca {tinytc.local_offset = 64 : i64}
//       CHECK:   }
//       CHECK:   tinytc.alloca {tinytc.local_offset = 64 : i64}
tinytc.func @blocks(%condition: i1) {
  %a = tinytc.alloca : !small
  tinytc.if %condition {
    %b = tinytc.alloca : !small
  } else {
    %c = tinytc.alloca : !small
  }
  %d = tinytc.alloca : !small
}

// A stop that may not be reached ends no life.
// CHECK-LABEL: @negative_stop_in_a_branch
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//       CHECK:   tinytc.alloca {tinytc.local_offset = 64 : i64}
tinytc.func @negative_stop_in_a_branch(%condition: i1) {
  %a = tinytc.alloca : !small
  tinytc.if %condition {
    tinytc.lifetime_stop %a : !small
  }
  %b = tinytc.alloca : !small
}

// Gaps between columns take memory too; complex numbers take twice that of their parts.
// CHECK-LABEL: @bytes
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//  CHECK-NEXT:   tinytc.alloca {tinytc.local_offset = 128 : i64}
//  CHECK-NEXT:   tinytc.alloca {tinytc.local_offset = 256 : i64}
tinytc.func @bytes() {
  %a = tinytc.alloca : !tinytc.memref<2x4xf32, strided<1, 8>, local>
  %b = tinytc.alloca : !tinytc.memref<8xcomplex<f64>, local>
  %c = tinytc.alloca : !small
}

// CHECK-LABEL: @alignment
//       CHECK:   tinytc.alloca {tinytc.local_offset = 0 : i64}
//  CHECK-NEXT:   tinytc.alloca {alignment = 128 : i64, tinytc.local_offset = 128 : i64}
//  CHECK-NEXT:   tinytc.alloca {alignment = 4 : i64, tinytc.local_offset = 64 : i64}
tinytc.func @alignment() {
  %a = tinytc.alloca : !tinytc.memref<4xf32, local>
  %b = tinytc.alloca {alignment = 128 : i64} : !tinytc.memref<4xf32, local>
  %c = tinytc.alloca {alignment = 4 : i64} : !tinytc.memref<4xf32, local>
}
