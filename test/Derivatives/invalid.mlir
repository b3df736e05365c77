// RUN: tinytc-opt %s --tinytc-adjoint --split-input-file --verify-diagnostics

tinytc.func @bits(%x: f32, %A: !tinytc.memref<i32>) {
  // expected-error @+1 {{'tinytc.bitcast' op expected an instruction that can be differentiated, got one that cannot: bits have no derivative}}
  %bits = tinytc.bitcast %x : f32 -> i32
  tinytc.store %bits, %A[] : i32, !tinytc.memref<i32>
}

// -----

tinytc.func @atomic_min(%x: f32, %A: !tinytc.memref<f32>) {
  // expected-error @+1 {{which of several values is the result is not known later}}
  %0 = tinytc.atomic_min %x, %A[] : f32, !tinytc.memref<f32>
}

// -----

tinytc.func @atomic_store(%x: f32, %A: !tinytc.memref<f32>) {
  // expected-error @+1 {{what others write at the same time is not known later}}
  tinytc.atomic_store %x, %A[] : f32, !tinytc.memref<f32>
}

// -----

tinytc.func @element_before(%x: f32, %A: !tinytc.memref<8xf32>, %B: !tinytc.memref<8xf32>) {
  %c0 = tinytc.constant 0 : index
  %c8 = tinytc.constant 8 : index
  tinytc.foreach (%i) = (%c0), (%c8) {
    // expected-error @+1 {{its result depends on the order of updates}}
    %0 = tinytc.atomic_add %x, %A[%c0] : f32, !tinytc.memref<8xf32>
    tinytc.store %0, %B[%i] : f32, !tinytc.memref<8xf32>
  }
}

// -----

// The loop carries memory from one iteration to the next.
tinytc.func @loop_of_work_items(%A: !tinytc.memref<8xf32>) {
  %c0 = tinytc.constant 0 : index
  %c8 = tinytc.constant 8 : index
  tinytc.foreach (%i) = (%c0), (%c8) {
    // expected-error @+1 {{it needs what is overwritten later in an SPMD region, where there is no local memory to keep it in}}
    tinytc.for %j = %c0, %c8 {
      %x = tinytc.load %A[%i] : !tinytc.memref<8xf32>
      %y = tinytc.arith.mul %x, %x : f32
      tinytc.store %y, %A[%i] : f32, !tinytc.memref<8xf32>
    }
  }
}

// -----

tinytc.func @dynamic_memory(%A: !tinytc.memref<?xf32>, %G: !tinytc.group<!tinytc.memref<?xf32> x ?>) {
  %one = tinytc.constant 1.0 : f32
  %g = tinytc.builtin.group_id : index
  %B = tinytc.load %G[%g] : !tinytc.group<!tinytc.memref<?xf32> x ?>
  tinytc.axpby n %one, %A, %one, %B : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
  // expected-error @+1 {{it needs what is overwritten later in memory of dynamic size, which neither local memory nor a buffer can keep, as no launch knows its size}}
  tinytc.hadamard_product %one, %B, %B, %one, %A
    : f32, !tinytc.memref<?xf32>, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
  tinytc.axpby n %one, %A, %one, %B : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
  tinytc.hadamard_product %one, %B, %B, %one, %A
    : f32, !tinytc.memref<?xf32>, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// -----

// expected-error @+1 {{expected an array of which a launch knows the size for parameter 'G', which the adjoint writes in a copy, got '!tinytc.memref<?xf32>'}}
tinytc.func @copied_member(%A: !tinytc.memref<?xf32>, %G: !tinytc.group<!tinytc.memref<?xf32> x ?>) {
  %one = tinytc.constant 1.0 : f32
  %g = tinytc.builtin.group_id : index
  %B = tinytc.load %G[%g] : !tinytc.group<!tinytc.memref<?xf32> x ?>
  tinytc.axpby n %one, %A, %one, %B : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
  tinytc.hadamard_product %one, %B, %B, %one, %A
    : f32, !tinytc.memref<?xf32>, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// -----

tinytc.func @narrow_factor(%G: !tinytc.group<!tinytc.memref<?xf32> x ?>, %B: !tinytc.memref<?xf64>) {
  %one = tinytc.constant 1.0 : f32
  %g = tinytc.builtin.group_id : index
  %a = tinytc.load %G[%g] : !tinytc.group<!tinytc.memref<?xf32> x ?>
  // expected-error @+1 {{its adjoint needs memory with the shape of an operand whose size no launch knows; write a view of known size}}
  tinytc.axpby n %one, %a, %one, %B : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf64>
}

// -----

tinytc.func @overlap(%G: !tinytc.group<!tinytc.memref<?x?xf32> x ?>, %i: index) {
  %one = tinytc.constant 1.0 : f32
  %B = tinytc.load %G[%i] : !tinytc.group<!tinytc.memref<?x?xf32> x ?>
  %n = tinytc.size %B[0] : !tinytc.memref<?x?xf32>
  %0 = tinytc.subview %B[0:%n, 0] : !tinytc.memref<?x?xf32> -> !tinytc.memref<?xf32>
  %1 = tinytc.subview %B[0:%n, 1] : !tinytc.memref<?x?xf32> -> !tinytc.memref<?xf32>
  // expected-error @+1 {{its adjoint needs memory with the shape of an operand whose size no launch knows; write a view of known size}}
  tinytc.axpby n %one, %0, %one, %1 : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// -----

tinytc.func @factor_of_member(%alpha: f32, %A: !tinytc.memref<?xf32>, %G: !tinytc.group<!tinytc.memref<?xf32> x ?>) {
  %one = tinytc.constant 1.0 : f32
  %g = tinytc.builtin.group_id : index
  %b = tinytc.load %G[%g] : !tinytc.group<!tinytc.memref<?xf32> x ?>
  // expected-error @+1 {{its adjoint needs memory with the shape of an operand whose size no launch knows; write a view of known size}}
  tinytc.axpby n %alpha, %A, %one, %b : f32, !tinytc.memref<?xf32>, f32, !tinytc.memref<?xf32>
}

// -----

tinytc.func @parallel(%x: f32, %A: !tinytc.memref<f32>) {
  tinytc.parallel {
    // expected-error @+1 {{several work-items of a parallel region may write the element}}
    tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
  }
}

// -----

// expected-error @+1 {{expected parameter 'G', which groups share, to be an array or a scalar for partial sums of its adjoint, got '!tinytc.group<!tinytc.memref<4xf32> x ?>'; with 'atomic', groups add to it}}
tinytc.func @shared_members(%G: !tinytc.group<!tinytc.memref<4xf32> x ?>, %B: !tinytc.memref<f32>) {
  %one = tinytc.constant 1.0 : f32
  %c0 = tinytc.constant 0 : index
  %A = tinytc.load %G[%c0] : !tinytc.group<!tinytc.memref<4xf32> x ?>
  tinytc.sum n %one, %A, %one, %B : f32, !tinytc.memref<4xf32>, f32, !tinytc.memref<f32>
}

// -----

tinytc.func @parts(%x: f32, %A: !tinytc.memref<complex<f32>>) {
  %c0 = tinytc.constant 0 : index
  // expected-error @+1 {{the adjoint of an imaginary part has another sign in a complex number than as a real number}}
  %parts = tinytc.expandc2r %A : !tinytc.memref<complex<f32>> -> !tinytc.memref<2xf32>
  tinytc.store %x, %parts[%c0] : f32, !tinytc.memref<2xf32>
}

// -----

tinytc.func @reflections_of_unknown_shape(%A: !tinytc.memref<?x?xf64>, %tau: !tinytc.memref<?xf64>) {
  // expected-error @+1 {{its derivative needs local memory with the shape of operands, which must be static}}
  tinytc.qr %A, %tau : !tinytc.memref<?x?xf64>, !tinytc.memref<?xf64>
}
