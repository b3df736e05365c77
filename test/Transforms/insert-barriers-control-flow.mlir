// RUN: tinytc-opt %s --split-input-file --tinytc-insert-barriers | FileCheck %s

// Barriers along the paths of loops and conditionals.

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// The second iteration overwrites what the first one reads.
// CHECK-LABEL: @back_edge
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:   }
tinytc.func @back_edge(%alpha: f32, %a: !global, %to: index) {
  %from = tinytc.constant 0 : index
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.for %i = %from, %to {
    tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
    tinytc.axpby n %alpha, %b, %alpha, %c : f32, !local, f32, !local
  }
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// One barrier in the body serves the back edge and the instruction before the loop.
// CHECK-LABEL: @one_barrier_for_all_iterations
//       CHECK:   tinytc.axpby
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:   }
//   CHECK-NOT:   tinytc.barrier
tinytc.func @one_barrier_for_all_iterations(%alpha: f32, %a: !global, %to: index) {
  %from = tinytc.constant 0 : index
  %b = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.for %i = %from, %to {
    tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  }
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// The loop may run no iteration: accesses before it are still pending after it.
// CHECK-LABEL: @loop_that_may_be_skipped
//       CHECK:   tinytc.axpby
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//       CHECK:   }
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @loop_that_may_be_skipped(%alpha: f32, %a: !global, %to: index) {
  %from = tinytc.constant 0 : index
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.for %i = %from, %to {
    tinytc.axpby n %alpha, %b, %alpha, %c : f32, !local, f32, !local
  }
  tinytc.axpby n %alpha, %b, %alpha, %b : f32, !local, f32, !local
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @nested_loops
//       CHECK:   tinytc.for
//       CHECK:     tinytc.for
//  CHECK-NEXT:       tinytc.barrier local{{$}}
//  CHECK-NEXT:       tinytc.axpby
//       CHECK:     }
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:   }
tinytc.func @nested_loops(%alpha: f32, %a: !global, %to: index) {
  %from = tinytc.constant 0 : index
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.for %i = %from, %to {
    tinytc.for %j = %from, %to {
      tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
    }
    tinytc.axpby n %alpha, %b, %alpha, %c : f32, !local, f32, !local
  }
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// A write in one branch is pending after the conditional, but not in the other branch.
// CHECK-LABEL: @branches
//       CHECK:   tinytc.if
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:   } else {
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:   }
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @branches(%alpha: f32, %a: !global, %condition: i1) {
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.if %condition {
    tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  } else {
    tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  }
  tinytc.axpby n %alpha, %b, %alpha, %c : f32, !local, f32, !local
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// A barrier in one branch does not help where the other one is taken.
// CHECK-LABEL: @barrier_in_one_branch
//       CHECK:   tinytc.axpby
//       CHECK:   tinytc.if
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:   }
//  CHECK-NEXT:   tinytc.barrier local{{$}}
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @barrier_in_one_branch(%alpha: f32, %a: !global, %condition: i1) {
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.if %condition {
    tinytc.barrier local
  }
  tinytc.axpby n %alpha, %b, %alpha, %c : f32, !local, f32, !local
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// CHECK-LABEL: @negative_barriers_in_both_branches
//       CHECK:   tinytc.if
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:   } else {
//  CHECK-NEXT:     tinytc.barrier global local{{$}}
//  CHECK-NEXT:   }
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @negative_barriers_in_both_branches(%alpha: f32, %a: !global,
                                                %condition: i1) {
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.if %condition {
    tinytc.barrier local
  } else {
    tinytc.barrier global local
  }
  tinytc.axpby n %alpha, %b, %alpha, %c : f32, !local, f32, !local
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// What a conditional in a loop writes is read in the next iteration.
// CHECK-LABEL: @conditional_in_a_loop
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.barrier local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:     tinytc.if
//  CHECK-NEXT:       tinytc.barrier local{{$}}
//  CHECK-NEXT:       tinytc.axpby
//  CHECK-NEXT:     }
//  CHECK-NEXT:   }
tinytc.func @conditional_in_a_loop(%alpha: f32, %a: !global, %to: index,
                                   %condition: i1) {
  %from = tinytc.constant 0 : index
  %b = tinytc.alloca : !local
  %c = tinytc.alloca : !local
  tinytc.for %i = %from, %to {
    tinytc.axpby n %alpha, %b, %alpha, %c : f32, !local, f32, !local
    tinytc.if %condition {
      tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
    }
  }
}

// -----

!global = !tinytc.memref<16xf32>
!local = !tinytc.memref<16xf32, local>

// What is pending before the loop and what its back edge brings is fenced by one barrier.
// CHECK-LABEL: @one_barrier_for_both_spaces
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.barrier global local{{$}}
//  CHECK-NEXT:     tinytc.axpby
//  CHECK-NEXT:   }
tinytc.func @one_barrier_for_both_spaces(%alpha: f32, %a: !global, %to: index) {
  %from = tinytc.constant 0 : index
  %b = tinytc.alloca : !local
  tinytc.axpby n %alpha, %a, %alpha, %b : f32, !global, f32, !local
  tinytc.for %i = %from, %to {
    tinytc.axpby n %alpha, %b, %alpha, %a : f32, !local, f32, !global
  }
}
