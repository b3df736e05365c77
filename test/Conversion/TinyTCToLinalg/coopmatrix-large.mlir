// RUN: tinytc-opt %s --tinytc-attach-target=target=cpu --tinytc-choose-work-group-size \
// RUN:   --tinytc-convert-to-linalg --canonicalize --cse | FileCheck %s

// Instructions on large matrices are loops over arrays, which the next ones take.
// CHECK-LABEL: @chain
//       CHECK:   %[[A:.*]] = memref.alloca() : memref<1024xf32
//       CHECK:   scf.for %[[I:.*]] = %c0 to %c1024 step %c1 {
//       CHECK:     arith.divui %[[I]], %c64
//       CHECK:     memref.store %{{.*}}, %[[A]][%[[I]]]
//   CHECK-NOT:   memref.load %[[A]][%c
//       CHECK:   %[[B:.*]] = memref.alloca() : memref<1024xf32
//       CHECK:   scf.for %[[I:.*]] = %c0 to %c1024 step %c1 {
//       CHECK:     %[[X:.*]] = memref.load %[[A]][%[[I]]]
//       CHECK:     %[[Y:.*]] = arith.addf %[[X]], %[[X]]
//       CHECK:     memref.store %[[Y]], %[[B]][%[[I]]]
//       CHECK:   scf.for %[[I:.*]] = %c0 to %c1024 step %c1 {
//       CHECK:     %[[X:.*]] = memref.load %[[B]][%[[I]]]
//       CHECK:     memref.store %[[X]], %arg0
//   CHECK-NOT:   memref.load
//       CHECK:   return
tinytc.func @chain(%a: !tinytc.memref<64x64xf32>) attributes {subgroup_size = 4 : i32} {
  %zero = arith.constant 0 : index
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %a[%zero, %zero]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<64x64xf32, matrix_acc>
    %1 = tinytc.arith.add %0, %0 : !tinytc.coopmatrix<64x64xf32, matrix_acc>
    tinytc.cooperative_matrix_store %1, %a[%zero, %zero]
      : !tinytc.coopmatrix<64x64xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}
