// RUN: tinytc-opt %s --tinytc-raise-linalg --split-input-file --verify-diagnostics

// expected-error @+1 {{expected memrefs, got 'tensor<4xf32>'; --one-shot-bufferize="bufferize-function-boundaries" makes memrefs of tensors}}
func.func @tensor(%A: tensor<4xf32>) {
  return
}

// -----

func.func @tensor_op(%A: memref<4xf32>) {
  // expected-error @+1 {{expected memrefs, got 'tensor<4xf32>'; --one-shot-bufferize=}}
  %t = tensor.empty() : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{expected parameter 0 to be a memref or a scalar, got 'vector<4xf32>'}}
func.func @vector(%x: vector<4xf32>) {
  return
}

// -----

func.func @foreign_op(%A: memref<4xf32>) {
  // expected-error @+1 {{expected ops of linalg, memref, scf, arith, math and complex on memrefs and scalars, got 'gpu.barrier'}}
  gpu.barrier
  return
}

// -----

// expected-error @+1 {{expected a kernel that returns no more than parameters, got a result of type 'f32'; after bufferization, --buffer-results-to-out-params="hoist-static-allocs=true modify-public-functions=true" makes parameters of results}}
func.func @scalar_result(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @+1 {{expected a kernel that returns no more than parameters, got a result of type 'memref<4xf32>'; after bufferization, --buffer-results}}
func.func @result(%A: memref<4xf32>) -> memref<4xf32> {
  %t = memref.alloc() : memref<4xf32>
  return %t : memref<4xf32>
}

// -----

// expected-error @+1 {{parameter 0: expected a scalar element type}}
func.func @element_type(%A: memref<4xi4>) {
  return
}

// -----

// expected-error @+1 {{expected parameter 0 to be a memref with strides and without an offset, got 'memref<4xf32, strided<[1], offset: 4>>'}}
func.func @offset(%A: memref<4xf32, strided<[1], offset: 4>>) {
  return
}

// -----

// expected-error @+1 {{expected parameter 0 to have strides of which each is at least another one times its size, got 'memref<4x4xf32, strided<[1, 2]>>'}}
func.func @overlap(%A: memref<4x4xf32, strided<[1, 2]>>) {
  return
}

// -----

// expected-error @+1 {{expected parameter 0 to be in the default memory space, got 'memref<4xf32, 3>'}}
func.func @space(%A: memref<4xf32, 3>) {
  return
}

// -----

func.func @dynamic_alloc(%n: index) {
  // expected-error @+1 {{expected local memory of static size, got 'memref<?xf32>'}}
  %t = memref.alloca(%n) : memref<?xf32>
  return
}

// -----

func.func private @g(f32)
func.func @call(%x: f32) {
  // expected-error @+1 {{expected ops of linalg, memref, scf, arith, math and complex on memrefs and scalars, got 'func.call'}}
  func.call @g(%x) : (f32) -> ()
  return
}

// -----

func.func @steps(%A: memref<8xf32>) {
  // expected-error @+1 {{expected a subview with steps of 1, got other steps}}
  %a = memref.subview %A[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @cast(%A: memref<8xf32>) {
  // expected-error @+1 {{expected alloca, alloc, cast, subview, transpose, expand_shape, collapse_shape, dim, load, store or copy of memref, got 'memref.reinterpret_cast'}}
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
  return
}

// -----

func.func @vector(%x: f32) {
  // expected-error @+1 {{expected 'arith.constant' on scalars of the language, got 'vector<4xf32>'}}
  %v = arith.constant dense<0.0> : vector<4xf32>
  return
}

// -----

func.func @grid(%A: memref<4x4xf32>) {
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{expected loops over groups to be mapped to #gpu.block<x>, #gpu.block<y> and #gpu.block<z>, each at most once, got [#gpu.block<y>, #gpu.thread<x>]}}
  scf.forall (%i, %j) in (4, 4) {
    memref.store %one, %A[%i, %j] : memref<4x4xf32>
  } {mapping = [#gpu.block<y>, #gpu.thread<x>]}
  return
}

// -----

func.func @reduction(%A: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a parallel loop without reductions, got 1}}
  %s = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%zero) -> f32 {
    %x = memref.load %A[%i] : memref<4xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }
  }
  return
}

// -----

// expected-error @+1 {{expected a kernel that has not been lowered yet, got the output of --lower-to-linalg: continue with --linalg-to-gpu or --linalg-to-spirv}}
func.func @lowered() attributes {tinytc.manifest = #tinytc.manifest<>} {
  return
}

// -----

func.func @without_a_generic_form(%a: memref<4x5xf32>, %b: memref<4x5xf32>) {
  // expected-error @below {{expected an op that has a linalg.generic form, got 'linalg.softmax'}}
  linalg.softmax dimension(1) ins(%a : memref<4x5xf32>) outs(%b : memref<4x5xf32>)
  return
}

// -----

func.func @loop_without_a_dimension(%a: memref<f32>, %x: f32) {
  // expected-error @below {{expected a loop with at least one dimension, got none}}
  scf.forall () in () {
    memref.store %x, %a[] : memref<f32>
  }
  return
}
