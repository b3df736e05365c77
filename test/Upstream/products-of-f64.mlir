// RUN: not tinytc-opt %s 2>&1 | FileCheck %s

// The products of f64 that sm_90 has are no op.

func.func @product(%x: f64) -> !llvm.struct<(f64, f64, f64, f64)> {
  // CHECK: invalid shape or multiplicand type
  %d = nvvm.mma.sync A[%x, %x, %x, %x] B[%x, %x] C[%x, %x, %x, %x] {
      layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
      shape = #nvvm.shape<m = 16, n = 8, k = 8>}
      : (f64, f64, f64) -> !llvm.struct<(f64, f64, f64, f64)>
  return %d : !llvm.struct<(f64, f64, f64, f64)>
}
