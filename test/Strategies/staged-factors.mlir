// RUN: tinytc-opt %s --tinytc-attach-target=target=cuda:sm_90 --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s
// RUN: tinytc-opt %s --tinytc-attach-target=target=cuda:sm_80 --tinytc-choose-work-group-size --tinytc-choose-strategies | FileCheck %s --check-prefix=OTHER

// Where stages wait for memory alone. How fast other chips are is not known.
// OTHER-NOT: staged_factors

// Loads of fragments from memory take longer than memory.
// CHECK-LABEL: @doubles
//  CHECK-SAME:   work_group_size = array<i32: 128, 1>
//       CHECK:   tinytc.gemm n n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = staged_factors, rows = 64, columns = 64, unroll = 32, grid_rows = 2, grid_columns = 2, local_bytes = 66560, stages = 2>}
tinytc.func @doubles(%a: !tinytc.memref<64x64x?xf64>, %b: !tinytc.memref<64x64x?xf64>,
    %c: !tinytc.memref<64x64x?xf64>) {
  %g = tinytc.builtin.group_id : index
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  %x = tinytc.subview %a[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf64> -> !tinytc.memref<64x64xf64>
  %y = tinytc.subview %b[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf64> -> !tinytc.memref<64x64xf64>
  %z = tinytc.subview %c[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf64> -> !tinytc.memref<64x64xf64>
  tinytc.gemm n n %one, %x, %y, %zero, %z : f64, !tinytc.memref<64x64xf64>, !tinytc.memref<64x64xf64>, f64, !tinytc.memref<64x64xf64>
}

// Registers hold too few bytes for all that has to be under way.
// CHECK-LABEL: @floats
//  CHECK-SAME:   work_group_size = array<i32: 64, 1>
//       CHECK:   tinytc.gemm n n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = staged_factors, rows = 64, columns = 64, unroll = 32, grid_rows = 1, grid_columns = 2, local_bytes = 34816, stages = 2>}
tinytc.func @floats(%a: !tinytc.memref<64x64x?xf32>, %b: !tinytc.memref<64x64x?xf32>,
    %c: !tinytc.memref<64x64x?xf32>) {
  %g = tinytc.builtin.group_id : index
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  %x = tinytc.subview %a[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  %y = tinytc.subview %b[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  %z = tinytc.subview %c[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  tinytc.gemm n n %one, %x, %y, %zero, %z : f32, !tinytc.memref<64x64xf32>, !tinytc.memref<64x64xf32>, f32, !tinytc.memref<64x64xf32>
}

// Few columns: most of a stage is A.
// CHECK-LABEL: @narrow
//  CHECK-SAME:   work_group_size = array<i32: 64, 1>
//       CHECK:   tinytc.gemm n n {{.*}} {tinytc.strategy = #tinytc.strategy<kind = staged_factors, rows = 64, columns = 32, unroll = 8, grid_rows = 2, grid_columns = 1, local_bytes = 12544, stages = 2>}
tinytc.func @narrow(%a: !tinytc.memref<56x56x?xf64>, %b: !tinytc.memref<56x9x?xf64>,
    %c: !tinytc.memref<56x9x?xf64>) {
  %g = tinytc.builtin.group_id : index
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  %x = tinytc.subview %a[0:56, 0:56, %g] : !tinytc.memref<56x56x?xf64> -> !tinytc.memref<56x56xf64>
  %y = tinytc.subview %b[0:56, 0:9, %g] : !tinytc.memref<56x9x?xf64> -> !tinytc.memref<56x9xf64>
  %z = tinytc.subview %c[0:56, 0:9, %g] : !tinytc.memref<56x9x?xf64> -> !tinytc.memref<56x9xf64>
  tinytc.gemm n n %one, %x, %y, %zero, %z : f64, !tinytc.memref<56x56xf64>, !tinytc.memref<56x9xf64>, f64, !tinytc.memref<56x9xf64>
}

// The model was not fitted for fewer rows.
// CHECK-LABEL: @small
//   CHECK-NOT:   staged_factors
tinytc.func @small(%a: !tinytc.memref<32x32x?xf64>, %b: !tinytc.memref<32x32x?xf64>,
    %c: !tinytc.memref<32x32x?xf64>) {
  %g = tinytc.builtin.group_id : index
  %one = tinytc.constant 1.0 : f64
  %zero = tinytc.constant 0.0 : f64
  %x = tinytc.subview %a[0:32, 0:32, %g] : !tinytc.memref<32x32x?xf64> -> !tinytc.memref<32x32xf64>
  %y = tinytc.subview %b[0:32, 0:32, %g] : !tinytc.memref<32x32x?xf64> -> !tinytc.memref<32x32xf64>
  %z = tinytc.subview %c[0:32, 0:32, %g] : !tinytc.memref<32x32x?xf64> -> !tinytc.memref<32x32xf64>
  tinytc.gemm n n %one, %x, %y, %zero, %z : f64, !tinytc.memref<32x32xf64>, !tinytc.memref<32x32xf64>, f64, !tinytc.memref<32x32xf64>
}

// Lines begin anywhere: copies of words would be too many.
// CHECK-LABEL: @odd
//   CHECK-NOT:   staged_factors
tinytc.func @odd(%a: !tinytc.memref<65x65x?xf32>, %b: !tinytc.memref<65x65x?xf32>,
    %c: !tinytc.memref<65x65x?xf32>) {
  %g = tinytc.builtin.group_id : index
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  %x = tinytc.subview %a[0:65, 0:65, %g] : !tinytc.memref<65x65x?xf32> -> !tinytc.memref<65x65xf32>
  %y = tinytc.subview %b[0:65, 0:65, %g] : !tinytc.memref<65x65x?xf32> -> !tinytc.memref<65x65xf32>
  %z = tinytc.subview %c[0:65, 0:65, %g] : !tinytc.memref<65x65x?xf32> -> !tinytc.memref<65x65xf32>
  tinytc.gemm n n %one, %x, %y, %zero, %z : f32, !tinytc.memref<65x65xf32>, !tinytc.memref<65x65xf32>, f32, !tinytc.memref<65x65xf32>
}

// Other instructions would share the work-group.
// CHECK-LABEL: @chain
//   CHECK-NOT:   staged_factors
tinytc.func @chain(%a: !tinytc.memref<64x64x?xf32>, %b: !tinytc.memref<64x64x?xf32>,
    %c: !tinytc.memref<64x64x?xf32>) {
  %g = tinytc.builtin.group_id : index
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  %x = tinytc.subview %a[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  %y = tinytc.subview %b[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  %z = tinytc.subview %c[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  tinytc.gemm n n %one, %x, %y, %zero, %z : f32, !tinytc.memref<64x64xf32>, !tinytc.memref<64x64xf32>, f32, !tinytc.memref<64x64xf32>
  tinytc.axpby n %one, %x, %one, %z : f32, !tinytc.memref<64x64xf32>, f32, !tinytc.memref<64x64xf32>
}

// The program asks for another tile.
// CHECK-LABEL: @given
//   CHECK-NOT:   staged_factors
tinytc.func @given(%a: !tinytc.memref<64x64x?xf32>, %b: !tinytc.memref<64x64x?xf32>,
    %c: !tinytc.memref<64x64x?xf32>) attributes {schedule = #tinytc.schedule<rows = 4>} {
  %g = tinytc.builtin.group_id : index
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  %x = tinytc.subview %a[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  %y = tinytc.subview %b[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  %z = tinytc.subview %c[0:64, 0:64, %g] : !tinytc.memref<64x64x?xf32> -> !tinytc.memref<64x64xf32>
  tinytc.gemm n n %one, %x, %y, %zero, %z : f32, !tinytc.memref<64x64xf32>, !tinytc.memref<64x64xf32>, f32, !tinytc.memref<64x64xf32>
}
