// RUN: tinytc-opt %s --tinytc-attach-target=target=intel-gpu:dg2 \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

!m = !tinytc.memref<64x64xf16>

// The grid of a given strategy: 32 rows and 32 columns at a time, in four steps of the
// summed mode. One load of 32 bytes brings what a work-item takes to an operation.
// CHECK-LABEL: @given
//       CHECK:   memref.alloc() {{.*}} : memref<8192xi8, #gpu.address_space<workgroup>>
//       CHECK:   %[[ROWS:.*]] = arith.constant 32 : index
//       CHECK:   scf.for {{.*}} step %[[ROWS]]
//       CHECK:     %[[COLUMNS:.*]] = arith.constant 32 : index
//       CHECK:     scf.for {{.*}} step %[[COLUMNS]]
//       CHECK:       gpu.barrier
//       CHECK:       memref.store {{.*}} #gpu.address_space<workgroup>>
//       CHECK:       gpu.barrier
//   CHECK-NOT:       memref.load
//       CHECK:       %[[WORDS:.*]] = vector.load {{.*}} {alignment = 32 : i64} : memref<1024xi64, #gpu.address_space<workgroup>>, vector<4xi64>
//       CHECK:       %[[REGISTERS:.*]] = vector.bitcast %[[WORDS]] : vector<4xi64> to vector<8xi32>
//       CHECK:       %[[HALVES:.*]] = vector.bitcast %[[REGISTERS]] : vector<8xi32> to vector<16xf16>
//       CHECK:       %[[A:.*]]:16 = vector.to_elements %[[HALVES]]
// CHECK-COUNT-2:       vector.load {{.*}} vector<4xi64>
//   CHECK-NOT:       memref.load
//       CHECK:       tinytc.subgroup_matrix_mul_add(%[[A]]#0, %[[A]]#2,
//       CHECK:       tinytc.subgroup_matrix_mul_add
//   CHECK-NOT:       tinytc.subgroup_matrix_mul_add
tinytc.func @given(%alpha: f16, %a: !m, %b: !m, %c: !m) {
  tinytc.gemm n n %alpha, %a, %b, %alpha, %c {
    tinytc.local_offset = 0 : i64,
    tinytc.strategy = #tinytc.strategy<kind = packed_factors, rows = 8, columns = 16,
      unroll = 4, grid_rows = 4, grid_columns = 2, local_bytes = 8192>
  } : f16, !m, !m, f16, !m
}

!bytes = !tinytc.memref<64x64xi8>
!sums = !tinytc.memref<64x64xi32>

// The piece of bytes is two vectors of 16 elements, the most that OpenCL has.
// CHECK-LABEL: @bytes
//       CHECK:   %[[REGISTERS:.*]] = vector.bitcast {{.*}} : vector<4xi64> to vector<8xi32>
//       CHECK:   %[[FIRST:.*]] = vector.extract_strided_slice %[[REGISTERS]] {offsets = [0], sizes = [4], strides = [1]}
//       CHECK:   %[[CAST:.*]] = vector.bitcast %[[FIRST]] : vector<4xi32> to vector<16xi8>
//       CHECK:   %[[LOW:.*]]:16 = vector.to_elements %[[CAST]]
//       CHECK:   %[[SECOND:.*]] = vector.extract_strided_slice %[[REGISTERS]] {offsets = [4], sizes = [4], strides = [1]}
//       CHECK:   %[[CAST:.*]] = vector.bitcast %[[SECOND]] : vector<4xi32> to vector<16xi8>
//       CHECK:   %[[HIGH:.*]]:16 = vector.to_elements %[[CAST]]
//       CHECK:   tinytc.subgroup_matrix_mul_add(%[[LOW]]#0, {{.*}}%[[HIGH]]#0,
tinytc.func @bytes(%alpha: i8, %a: !bytes, %beta: i32, %c: !sums) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {
    tinytc.local_offset = 0 : i64,
    tinytc.strategy = #tinytc.strategy<kind = packed_factors, rows = 8, columns = 16,
      unroll = 4, grid_rows = 4, grid_columns = 2, local_bytes = 8192>
  } : i8, !bytes, !bytes, i32, !sums
}

!halves = !tinytc.memref<64x64xbf16>

// No vector of bf16 reaches a driver.
// CHECK-LABEL: @bf16
//   CHECK-NOT:   vector<16xbf16>
//       CHECK:   %[[E:.*]]:16 = vector.to_elements {{.*}} : vector<16xi16>
//       CHECK:   arith.bitcast %[[E]]#0 : i16 to bf16
tinytc.func @bf16(%alpha: bf16, %a: !halves, %beta: f32, %c: !tinytc.memref<64x64xf32>) {
  tinytc.gemm n n %alpha, %a, %a, %beta, %c {
    tinytc.local_offset = 0 : i64,
    tinytc.strategy = #tinytc.strategy<kind = packed_factors, rows = 8, columns = 16,
      unroll = 4, grid_rows = 4, grid_columns = 2, local_bytes = 8192>
  } : bf16, !halves, !halves, f32, !tinytc.memref<64x64xf32>
}
