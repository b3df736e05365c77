// RUN: tinytc-opt %s --tinytc-attach-target=target=intel-gpu:pvc \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Blocks of 16 x 16 for two blocks of rows, if the address allows it, else elements.
// CHECK-LABEL: func.func @matrix_a
//       CHECK:   %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata
//       CHECK:   memref.extract_aligned_pointer_as_index
//       CHECK:   scf.if %{{.*}} -> (f16,
//       CHECK:     tinytc.subgroup_block_load %[[BASE]][%[[OFFSET]]] sizes(%{{.*}}, %{{.*}}) stride %[[STRIDES]]#1 at(%[[X:.*]], %[[Y:.*]]) :
//       CHECK:     %[[LOWER:.*]] = arith.addi %[[X]], %c16
//       CHECK:     tinytc.subgroup_block_load %[[BASE]][%[[OFFSET]]] {{.*}} at(%[[LOWER]], %[[Y]]) :
//   CHECK-NOT:     memref.load
//       CHECK:   } else {
//       CHECK:     memref.load
tinytc.func @matrix_a(%m: !tinytc.memref<64x64xf16>, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %m[%x, %y]
      : !tinytc.memref<64x64xf16> -> !tinytc.coopmatrix<32x16xf16, matrix_a>
  }
}

// Eight columns, as operations take them. Places that 32 bits cannot hold are no place.
// CHECK-LABEL: func.func @checked_matrix_b
//       CHECK:   scf.if
//       CHECK:     %[[BELOW:.*]] = arith.minsi %{{.*}}, %c1073741824
//       CHECK:     arith.maxsi %[[BELOW]], %c-1073741824
//       CHECK:     %{{.*}}:8 = tinytc.subgroup_block_load
//       CHECK:     %{{.*}}:8 = tinytc.subgroup_block_load
//   CHECK-NOT:     memref.load
//       CHECK:   } else {
tinytc.func @checked_matrix_b(%m: !tinytc.memref<64x64xf16>, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n both_checked %m[%x, %y]
      : !tinytc.memref<64x64xf16> -> !tinytc.coopmatrix<16x16xf16, matrix_b>
  }
}

// A transposed block begins at a word of 32 bits.
// CHECK-LABEL: func.func @transposed
//       CHECK:   tinytc.subgroup_block_load transposed
tinytc.func @transposed(%m: !tinytc.memref<64x64xf16>, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  %c2 = tinytc.constant 2 : index
  %even = tinytc.arith.mul %x, %c2 : index
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load t %m[%even, %y]
      : !tinytc.memref<64x64xf16> -> !tinytc.coopmatrix<16x16xf16, matrix_a>
  }
}

// CHECK-LABEL: func.func @negative_odd_place
//   CHECK-NOT:   tinytc.subgroup_block_load
tinytc.func @negative_odd_place(%m: !tinytc.memref<64x64xf16>, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load t %m[%x, %y]
      : !tinytc.memref<64x64xf16> -> !tinytc.coopmatrix<16x16xf16, matrix_a>
  }
}

// No message brings 16 lanes of f32 that are neighbours in a column.
// CHECK-LABEL: func.func @negative_type
//   CHECK-NOT:   tinytc.subgroup_block_load
tinytc.func @negative_type(%m: !tinytc.memref<64x64xf32>, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %m[%x, %y]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
  }
}
