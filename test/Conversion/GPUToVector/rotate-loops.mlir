// RUN: tinytc-opt %s --tinytc-convert-vector-to-llvm | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  func.func private @use(index)

  // A counter that grows by one meets the end; whether the loop runs is tested before it.
  // CHECK-LABEL: llvm.func @dynamic(
  //  CHECK-SAME:   %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64, %[[INIT:[^:]*]]: f32)
  //       CHECK:   %[[RUNS:.*]] = llvm.icmp "slt" %[[BEGIN]], %[[END]]
  //       CHECK:   llvm.cond_br %[[RUNS]], ^[[BODY:[a-z0-9]+]](%[[BEGIN]], %[[INIT]] : i64, f32), ^[[AFTER:[a-z0-9]+]](%[[INIT]] : f32)
  //       CHECK: ^[[BODY]](%[[I:.*]]: i64, %[[SUM:.*]]: f32):
  //       CHECK:   %[[NEW:.*]] = llvm.fadd %[[SUM]], %[[SUM]]
  //       CHECK:   %[[NEXT:.*]] = llvm.add %[[I]], %{{.*}} overflow<nsw>
  //       CHECK:   %[[AGAIN:.*]] = llvm.icmp "ne" %[[NEXT]], %[[END]]
  //       CHECK:   llvm.cond_br %[[AGAIN]], ^[[BODY]](%[[NEXT]], %[[NEW]] : i64, f32), ^[[AFTER]](%[[NEW]] : f32)
  //       CHECK: ^[[AFTER]](%[[RESULT:.*]]: f32):
  //       CHECK:   llvm.return %[[RESULT]]
  func.func @dynamic(%begin: index, %end: index, %init: f32) -> f32 {
    %one = arith.constant 1 : index
    %result = scf.for %i = %begin to %end step %one iter_args(%sum = %init) -> f32 {
      %new = arith.addf %sum, %sum : f32
      func.call @use(%i) : (index) -> ()
      scf.yield %new : f32
    }
    return %result : f32
  }

  // CHECK-LABEL: llvm.func @constant
  //   CHECK-NOT:   llvm.icmp "slt"
  //       CHECK:   llvm.icmp "ne"
  func.func @constant() {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %eight = arith.constant 8 : index
    scf.for %i = %zero to %eight step %two { func.call @use(%i) : (index) -> () }
    return
  }

  // CHECK-LABEL: llvm.func @steps_over_the_end
  //   CHECK-NOT:   llvm.icmp "ne"
  //       CHECK:   llvm.icmp "slt"
  func.func @steps_over_the_end() {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %seven = arith.constant 7 : index
    scf.for %i = %zero to %seven step %two { func.call @use(%i) : (index) -> () }
    return
  }

  // CHECK-LABEL: llvm.func @never
  //       CHECK:   %[[RUNS:.*]] = llvm.mlir.constant(false)
  //       CHECK:   llvm.cond_br %[[RUNS]]
  func.func @never() {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %one to %zero step %one { func.call @use(%i) : (index) -> () }
    return
  }
}
}
