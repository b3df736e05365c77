// RUN: tinytc-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(tinytc-separate-block-loads)))' | FileCheck %s

gpu.module @kernels {
  // The condition and what follows the loop are outside; no result is brought together.
  // CHECK-LABEL: gpu.func @loop
  //       CHECK:   %[[IS_EVEN:.*]] = arith.cmpi eq
  //  CHECK-NEXT:   scf.if %[[IS_EVEN]] {
  //  CHECK-NEXT:     %[[BLOCKS:.*]] = scf.for
  //  CHECK-NEXT:       tinytc.subgroup_block_load
  //   CHECK-NOT:       memref.load
  //       CHECK:     } {tinytc.unroll = false}
  //  CHECK-NEXT:     memref.store %[[BLOCKS]]
  //  CHECK-NEXT:   } else {
  //  CHECK-NEXT:     %[[ELEMENTS:.*]] = scf.for
  //   CHECK-NOT:       tinytc.subgroup_block_load
  //       CHECK:       memref.load
  //       CHECK:     } {tinytc.unroll = false}
  //  CHECK-NEXT:     memref.store %[[ELEMENTS]]
  //  CHECK-NEXT:   }
  //  CHECK-NEXT:   gpu.return
  gpu.func @loop(%a: memref<?xf32>, %n: index, %x: f32) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %sum = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> f32 {
      %bit = arith.andi %n, %one : index
      %is_even = arith.cmpi eq, %bit, %zero : index
      %part = scf.if %is_even -> f32 {
        %0:8 = tinytc.subgroup_block_load transposed %a[%zero] sizes(%n, %n) stride %n at(%i, %i)
          : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
        scf.yield %0#0 : f32
      } else {
        %0 = memref.load %a[%i] : memref<?xf32>
        scf.yield %0 : f32
      }
      %t = arith.addf %s, %part : f32
      scf.yield %t : f32
    }
    memref.store %sum, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // A loop that follows and is separated, too, is not repeated.
  // CHECK-LABEL: gpu.func @two_loops
  //       CHECK:   %[[FIRST:.*]] = scf.if %{{.*}} -> (f32) {
  //       CHECK:   scf.if
  //       CHECK:     scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
  //       CHECK:     scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
  //   CHECK-NOT:   scf.for
  gpu.func @two_loops(%a: memref<?xf32>, %n: index, %is_even: i1, %x: f32) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %sum = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> f32 {
      %part = scf.if %is_even -> f32 {
        %0:8 = tinytc.subgroup_block_load transposed %a[%zero] sizes(%n, %n) stride %n at(%i, %i)
          : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
        scf.yield %0#0 : f32
      } else {
        scf.yield %s : f32
      }
      scf.yield %part : f32
    }
    %last = scf.for %i = %zero to %n step %one iter_args(%s = %sum) -> f32 {
      %part = scf.if %is_even -> f32 {
        %0:8 = tinytc.subgroup_block_load transposed %a[%zero] sizes(%n, %n) stride %n at(%i, %i)
          : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
        scf.yield %0#0 : f32
      } else {
        scf.yield %s : f32
      }
      scf.yield %part : f32
    }
    memref.store %last, %a[%zero] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @negative_condition_of_iteration
  //       CHECK:   scf.for
  //       CHECK:     scf.if
  //   CHECK-NOT:   scf.for
  gpu.func @negative_condition_of_iteration(%a: memref<?xf32>, %n: index, %x: f32) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %n step %one {
      %is_first = arith.cmpi eq, %i, %zero : index
      scf.if %is_first {
        %0:8 = tinytc.subgroup_block_load transposed %a[%zero] sizes(%n, %n) stride %n at(%i, %i)
          : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
        memref.store %0#0, %a[%i] : memref<?xf32>
      } else {
        memref.store %x, %a[%i] : memref<?xf32>
      }
    }
    gpu.return
  }

  // Work-items of other subgroups may be in the other branch.
  // CHECK-LABEL: gpu.func @negative_barrier
  //       CHECK:   scf.for
  //  CHECK-NEXT:     scf.if
  //       CHECK:     gpu.barrier
  //   CHECK-NOT:   scf.for
  gpu.func @negative_barrier(%a: memref<?xf32>, %n: index, %is_even: i1, %x: f32) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %n step %one {
      %part = scf.if %is_even -> f32 {
        %0:8 = tinytc.subgroup_block_load transposed %a[%zero] sizes(%n, %n) stride %n at(%i, %i)
          : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
        scf.yield %0#0 : f32
      } else {
        scf.yield %x : f32
      }
      gpu.barrier
      memref.store %part, %a[%i] : memref<?xf32>
    }
    gpu.return
  }
}
