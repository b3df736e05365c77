// RUN: tinytc-opt %s \
// RUN:   --pass-pipeline='builtin.module(tinytc-attach-target{target=intel-gpu:dg2},func.func(tinytc-narrow-loops))' \
// RUN:   | FileCheck %s
// RUN: tinytc-opt %s \
// RUN:   --pass-pipeline='builtin.module(tinytc-attach-target,func.func(tinytc-narrow-loops))' \
// RUN:   | FileCheck %s --check-prefix=CPU

// CPU-NOT: i32

// CHECK-LABEL: func.func @constant_bounds
//   CHECK-DAG:   %[[LOWER:.*]] = arith.constant 4 : i32
//   CHECK-DAG:   %[[UPPER:.*]] = arith.constant 40 : i32
//   CHECK-DAG:   %[[STEP:.*]] = arith.constant 8 : i32
//       CHECK:   %[[SUM:.*]] = scf.for %[[I:.*]] = %[[LOWER]] to %[[UPPER]] step %[[STEP]]
//  CHECK-SAME:     iter_args(%[[OLD:.*]] = %{{.*}}) -> (f32) : i32
//       CHECK:     %[[INDEX:.*]] = arith.index_castui %[[I]] : i32 to index
//       CHECK:     %[[A:.*]] = memref.load %{{.*}}[%[[INDEX]]]
//       CHECK:     arith.addf %[[OLD]], %[[A]]
//       CHECK:   } {tinytc.unroll = false}
//       CHECK:   return %[[SUM]]
func.func @constant_bounds(%a: memref<?xf32>, %x: f32) -> f32 {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %sum = scf.for %i = %c4 to %c40 step %c8 iter_args(%old = %x) -> f32 {
    %e = memref.load %a[%i] : memref<?xf32>
    %new = arith.addf %old, %e : f32
    scf.yield %new : f32
  } {tinytc.unroll = false}
  return %sum : f32
}

// CHECK-LABEL: func.func @loops_in_loops
//       CHECK:   scf.for {{.*}} : i32 {
//       CHECK:     scf.for {{.*}} : i32 {
//       CHECK:       memref.store
func.func @loops_in_loops(%a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    scf.for %j = %c0 to %c9 step %c1 {
      %k = arith.addi %i, %j : index
      memref.store %x, %a[%k] : memref<?xf32>
    }
  }
  return
}

// The last sum must not be beyond the range, nor a bound be negative or unknown.
// CHECK-LABEL: func.func @negative_range
//   CHECK-NOT:   i32
func.func @negative_range(%a: memref<?xf32>, %x: f32, %n: index) {
  %minus = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %most = arith.constant 2147483646 : index
  %beyond = arith.constant 4294967296 : index
  scf.for %i = %c0 to %n step %c2 {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  scf.for %i = %minus to %c9 step %c2 {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %most step %c2 {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %beyond step %c2 {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  return
}
