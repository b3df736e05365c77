// RUN: tinytc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(tinytc-attach-target,func.func(tinytc-unroll-loops))'

func.func @factor(%a: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected at most 65536 operations in an unrolled loop, got 32769 iterations of 2}}
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<?xf32>
  } {tinytc.unroll = 32769 : i64}
  return
}

// -----

func.func @iterations(%a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 40000 : index
  // expected-error @below {{got 40000 iterations of 2}}
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<?xf32>
  } {tinytc.unroll = 9223372036854775807 : i64}
  return
}
