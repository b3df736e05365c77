// RUN: tinytc-opt %s --tinytc-convert-vector-to-llvm | FileCheck %s

// LLVM takes a time that grows with the square of the loops of a function, so those of a kernel
// with more than 40 become functions. Loops that compute the same share one; constants are in it.

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  // CHECK: llvm.func @use
  func.func private @use(index)

  // CHECK-LABEL: llvm.func internal @many_loop_0(
  //  CHECK-SAME:   %{{[^:]*}}: i64, %{{[^:]*}}: i64)
  //       CHECK:   llvm.mlir.constant(1 : index)
  //       CHECK:   llvm.call @use
  //   CHECK-NOT: llvm.func internal
  // CHECK-LABEL: llvm.func @many(
  //  CHECK-NOT:    llvm.call @use
  // CHECK-COUNT-41: llvm.call @many_loop_0
  //  CHECK-NOT:    llvm.call
  //      CHECK:    llvm.return
  func.func @many(%begin: index, %end: index) {
    %one = arith.constant 1 : index
    scf.for %i0 = %begin to %end step %one { func.call @use(%i0) : (index) -> () }
    scf.for %i1 = %begin to %end step %one { func.call @use(%i1) : (index) -> () }
    scf.for %i2 = %begin to %end step %one { func.call @use(%i2) : (index) -> () }
    scf.for %i3 = %begin to %end step %one { func.call @use(%i3) : (index) -> () }
    scf.for %i4 = %begin to %end step %one { func.call @use(%i4) : (index) -> () }
    scf.for %i5 = %begin to %end step %one { func.call @use(%i5) : (index) -> () }
    scf.for %i6 = %begin to %end step %one { func.call @use(%i6) : (index) -> () }
    scf.for %i7 = %begin to %end step %one { func.call @use(%i7) : (index) -> () }
    scf.for %i8 = %begin to %end step %one { func.call @use(%i8) : (index) -> () }
    scf.for %i9 = %begin to %end step %one { func.call @use(%i9) : (index) -> () }
    scf.for %i10 = %begin to %end step %one { func.call @use(%i10) : (index) -> () }
    scf.for %i11 = %begin to %end step %one { func.call @use(%i11) : (index) -> () }
    scf.for %i12 = %begin to %end step %one { func.call @use(%i12) : (index) -> () }
    scf.for %i13 = %begin to %end step %one { func.call @use(%i13) : (index) -> () }
    scf.for %i14 = %begin to %end step %one { func.call @use(%i14) : (index) -> () }
    scf.for %i15 = %begin to %end step %one { func.call @use(%i15) : (index) -> () }
    scf.for %i16 = %begin to %end step %one { func.call @use(%i16) : (index) -> () }
    scf.for %i17 = %begin to %end step %one { func.call @use(%i17) : (index) -> () }
    scf.for %i18 = %begin to %end step %one { func.call @use(%i18) : (index) -> () }
    scf.for %i19 = %begin to %end step %one { func.call @use(%i19) : (index) -> () }
    scf.for %i20 = %begin to %end step %one { func.call @use(%i20) : (index) -> () }
    scf.for %i21 = %begin to %end step %one { func.call @use(%i21) : (index) -> () }
    scf.for %i22 = %begin to %end step %one { func.call @use(%i22) : (index) -> () }
    scf.for %i23 = %begin to %end step %one { func.call @use(%i23) : (index) -> () }
    scf.for %i24 = %begin to %end step %one { func.call @use(%i24) : (index) -> () }
    scf.for %i25 = %begin to %end step %one { func.call @use(%i25) : (index) -> () }
    scf.for %i26 = %begin to %end step %one { func.call @use(%i26) : (index) -> () }
    scf.for %i27 = %begin to %end step %one { func.call @use(%i27) : (index) -> () }
    scf.for %i28 = %begin to %end step %one { func.call @use(%i28) : (index) -> () }
    scf.for %i29 = %begin to %end step %one { func.call @use(%i29) : (index) -> () }
    scf.for %i30 = %begin to %end step %one { func.call @use(%i30) : (index) -> () }
    scf.for %i31 = %begin to %end step %one { func.call @use(%i31) : (index) -> () }
    scf.for %i32 = %begin to %end step %one { func.call @use(%i32) : (index) -> () }
    scf.for %i33 = %begin to %end step %one { func.call @use(%i33) : (index) -> () }
    scf.for %i34 = %begin to %end step %one { func.call @use(%i34) : (index) -> () }
    scf.for %i35 = %begin to %end step %one { func.call @use(%i35) : (index) -> () }
    scf.for %i36 = %begin to %end step %one { func.call @use(%i36) : (index) -> () }
    scf.for %i37 = %begin to %end step %one { func.call @use(%i37) : (index) -> () }
    scf.for %i38 = %begin to %end step %one { func.call @use(%i38) : (index) -> () }
    scf.for %i39 = %begin to %end step %one { func.call @use(%i39) : (index) -> () }
    scf.for %i40 = %begin to %end step %one { func.call @use(%i40) : (index) -> () }
    return
  }

  // CHECK-LABEL: llvm.func @negative_few(
  // CHECK-COUNT-40: llvm.call @use
  //       CHECK:   llvm.return
  func.func @negative_few(%begin: index, %end: index) {
    %one = arith.constant 1 : index
    scf.for %i0 = %begin to %end step %one { func.call @use(%i0) : (index) -> () }
    scf.for %i1 = %begin to %end step %one { func.call @use(%i1) : (index) -> () }
    scf.for %i2 = %begin to %end step %one { func.call @use(%i2) : (index) -> () }
    scf.for %i3 = %begin to %end step %one { func.call @use(%i3) : (index) -> () }
    scf.for %i4 = %begin to %end step %one { func.call @use(%i4) : (index) -> () }
    scf.for %i5 = %begin to %end step %one { func.call @use(%i5) : (index) -> () }
    scf.for %i6 = %begin to %end step %one { func.call @use(%i6) : (index) -> () }
    scf.for %i7 = %begin to %end step %one { func.call @use(%i7) : (index) -> () }
    scf.for %i8 = %begin to %end step %one { func.call @use(%i8) : (index) -> () }
    scf.for %i9 = %begin to %end step %one { func.call @use(%i9) : (index) -> () }
    scf.for %i10 = %begin to %end step %one { func.call @use(%i10) : (index) -> () }
    scf.for %i11 = %begin to %end step %one { func.call @use(%i11) : (index) -> () }
    scf.for %i12 = %begin to %end step %one { func.call @use(%i12) : (index) -> () }
    scf.for %i13 = %begin to %end step %one { func.call @use(%i13) : (index) -> () }
    scf.for %i14 = %begin to %end step %one { func.call @use(%i14) : (index) -> () }
    scf.for %i15 = %begin to %end step %one { func.call @use(%i15) : (index) -> () }
    scf.for %i16 = %begin to %end step %one { func.call @use(%i16) : (index) -> () }
    scf.for %i17 = %begin to %end step %one { func.call @use(%i17) : (index) -> () }
    scf.for %i18 = %begin to %end step %one { func.call @use(%i18) : (index) -> () }
    scf.for %i19 = %begin to %end step %one { func.call @use(%i19) : (index) -> () }
    scf.for %i20 = %begin to %end step %one { func.call @use(%i20) : (index) -> () }
    scf.for %i21 = %begin to %end step %one { func.call @use(%i21) : (index) -> () }
    scf.for %i22 = %begin to %end step %one { func.call @use(%i22) : (index) -> () }
    scf.for %i23 = %begin to %end step %one { func.call @use(%i23) : (index) -> () }
    scf.for %i24 = %begin to %end step %one { func.call @use(%i24) : (index) -> () }
    scf.for %i25 = %begin to %end step %one { func.call @use(%i25) : (index) -> () }
    scf.for %i26 = %begin to %end step %one { func.call @use(%i26) : (index) -> () }
    scf.for %i27 = %begin to %end step %one { func.call @use(%i27) : (index) -> () }
    scf.for %i28 = %begin to %end step %one { func.call @use(%i28) : (index) -> () }
    scf.for %i29 = %begin to %end step %one { func.call @use(%i29) : (index) -> () }
    scf.for %i30 = %begin to %end step %one { func.call @use(%i30) : (index) -> () }
    scf.for %i31 = %begin to %end step %one { func.call @use(%i31) : (index) -> () }
    scf.for %i32 = %begin to %end step %one { func.call @use(%i32) : (index) -> () }
    scf.for %i33 = %begin to %end step %one { func.call @use(%i33) : (index) -> () }
    scf.for %i34 = %begin to %end step %one { func.call @use(%i34) : (index) -> () }
    scf.for %i35 = %begin to %end step %one { func.call @use(%i35) : (index) -> () }
    scf.for %i36 = %begin to %end step %one { func.call @use(%i36) : (index) -> () }
    scf.for %i37 = %begin to %end step %one { func.call @use(%i37) : (index) -> () }
    scf.for %i38 = %begin to %end step %one { func.call @use(%i38) : (index) -> () }
    scf.for %i39 = %begin to %end step %one { func.call @use(%i39) : (index) -> () }
    return
  }

  // What later ops use is a result of the function.
  // CHECK-LABEL: llvm.func internal @results_loop_0(
  //       CHECK:   llvm.call @use
  //       CHECK:   llvm.return %{{.*}} : i64
  // CHECK-LABEL: llvm.func @results(
  //       CHECK:   %[[SUM:.*]] = llvm.call @results_loop_0
  //       CHECK:   llvm.call @results_loop_1(%{{.*}}, %[[SUM]]
  func.func @results(%begin: index, %end: index) {
    %one = arith.constant 1 : index
    scf.for %i = %begin to %end step %one { func.call @use(%i) : (index) -> () }
    %sum = arith.addi %begin, %end : index
    scf.for %i = %begin to %sum step %one { func.call @use(%i) : (index) -> () }
    scf.for %i0 = %begin to %end step %one { func.call @use(%i0) : (index) -> () }
    scf.for %i1 = %begin to %end step %one { func.call @use(%i1) : (index) -> () }
    scf.for %i2 = %begin to %end step %one { func.call @use(%i2) : (index) -> () }
    scf.for %i3 = %begin to %end step %one { func.call @use(%i3) : (index) -> () }
    scf.for %i4 = %begin to %end step %one { func.call @use(%i4) : (index) -> () }
    scf.for %i5 = %begin to %end step %one { func.call @use(%i5) : (index) -> () }
    scf.for %i6 = %begin to %end step %one { func.call @use(%i6) : (index) -> () }
    scf.for %i7 = %begin to %end step %one { func.call @use(%i7) : (index) -> () }
    scf.for %i8 = %begin to %end step %one { func.call @use(%i8) : (index) -> () }
    scf.for %i9 = %begin to %end step %one { func.call @use(%i9) : (index) -> () }
    scf.for %i10 = %begin to %end step %one { func.call @use(%i10) : (index) -> () }
    scf.for %i11 = %begin to %end step %one { func.call @use(%i11) : (index) -> () }
    scf.for %i12 = %begin to %end step %one { func.call @use(%i12) : (index) -> () }
    scf.for %i13 = %begin to %end step %one { func.call @use(%i13) : (index) -> () }
    scf.for %i14 = %begin to %end step %one { func.call @use(%i14) : (index) -> () }
    scf.for %i15 = %begin to %end step %one { func.call @use(%i15) : (index) -> () }
    scf.for %i16 = %begin to %end step %one { func.call @use(%i16) : (index) -> () }
    scf.for %i17 = %begin to %end step %one { func.call @use(%i17) : (index) -> () }
    scf.for %i18 = %begin to %end step %one { func.call @use(%i18) : (index) -> () }
    scf.for %i19 = %begin to %end step %one { func.call @use(%i19) : (index) -> () }
    scf.for %i20 = %begin to %end step %one { func.call @use(%i20) : (index) -> () }
    scf.for %i21 = %begin to %end step %one { func.call @use(%i21) : (index) -> () }
    scf.for %i22 = %begin to %end step %one { func.call @use(%i22) : (index) -> () }
    scf.for %i23 = %begin to %end step %one { func.call @use(%i23) : (index) -> () }
    scf.for %i24 = %begin to %end step %one { func.call @use(%i24) : (index) -> () }
    scf.for %i25 = %begin to %end step %one { func.call @use(%i25) : (index) -> () }
    scf.for %i26 = %begin to %end step %one { func.call @use(%i26) : (index) -> () }
    scf.for %i27 = %begin to %end step %one { func.call @use(%i27) : (index) -> () }
    scf.for %i28 = %begin to %end step %one { func.call @use(%i28) : (index) -> () }
    scf.for %i29 = %begin to %end step %one { func.call @use(%i29) : (index) -> () }
    scf.for %i30 = %begin to %end step %one { func.call @use(%i30) : (index) -> () }
    scf.for %i31 = %begin to %end step %one { func.call @use(%i31) : (index) -> () }
    scf.for %i32 = %begin to %end step %one { func.call @use(%i32) : (index) -> () }
    scf.for %i33 = %begin to %end step %one { func.call @use(%i33) : (index) -> () }
    scf.for %i34 = %begin to %end step %one { func.call @use(%i34) : (index) -> () }
    scf.for %i35 = %begin to %end step %one { func.call @use(%i35) : (index) -> () }
    scf.for %i36 = %begin to %end step %one { func.call @use(%i36) : (index) -> () }
    scf.for %i37 = %begin to %end step %one { func.call @use(%i37) : (index) -> () }
    scf.for %i38 = %begin to %end step %one { func.call @use(%i38) : (index) -> () }
    scf.for %i39 = %begin to %end step %one { func.call @use(%i39) : (index) -> () }
    return
  }
}
}
