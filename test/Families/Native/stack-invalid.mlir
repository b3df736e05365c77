// RUN: tinytc-opt %s --tinytc-convert-vector-to-llvm --tinytc-serialize-to-object --verify-diagnostics

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v3", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
  gpu.module @kernels {
    func.func @small(%pointer: !llvm.ptr) {
      %size = llvm.mlir.constant(130000 : i64) : i64
      %array = llvm.alloca %size x i64 : (i64) -> !llvm.ptr
      llvm.store volatile %array, %pointer : !llvm.ptr, !llvm.ptr
      return
    }
    // expected-error @below {{expected a kernel whose code needs at most 1048576 bytes of the stack, got}}
    func.func @large(%pointer: !llvm.ptr) {
      %size = llvm.mlir.constant(132000 : i64) : i64
      %array = llvm.alloca %size x i64 : (i64) -> !llvm.ptr
      llvm.store volatile %array, %pointer : !llvm.ptr, !llvm.ptr
      return
    }
  }
}
