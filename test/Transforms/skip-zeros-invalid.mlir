// RUN: tinytc-opt %s --tinytc-skip-zeros=splits=false --split-input-file --verify-diagnostics

tinytc.func @product(%A: !tinytc.memref<8x8xf32>, %B: !tinytc.memref<8x8xf32>,
                     %C: !tinytc.memref<8x8xf32> {tinytc.nonzero = [array<i64: 0, 4, 0, 8>]}) {
  %one = tinytc.constant 1.0 : f32
  // expected-error @+1 {{expected a product that is zero where 'nonzero' of 'C' says so, got one with elements [4:8, 0:8]: add their box to 'nonzero', or write a view of the boxes}}
  tinytc.gemm n n %one, %A, %B, %one, %C
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
}

// -----

tinytc.func @element(%x: f32, %C: !tinytc.memref<8xf32> {tinytc.nonzero = [array<i64: 0, 4>]}) {
  %i = tinytc.constant 5 : index
  // expected-error @+1 {{expected an element within 'nonzero' of 'C', got [5:6]: add its box to 'nonzero', or store a zero}}
  tinytc.store %x, %C[%i] : f32, !tinytc.memref<8xf32>
}

// -----

// A view of the boxes, and a zero, keep the promise.
tinytc.func @kept(%x: f32, %A: !tinytc.memref<4x8xf32>,
                  %C: !tinytc.memref<8x8xf32> {tinytc.nonzero = [array<i64: 0, 4, 0, 8>]}) {
  %i = tinytc.constant 5 : index
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  %0 = tinytc.subview %C[0:4, 0:8]
    : !tinytc.memref<8x8xf32> -> !tinytc.memref<4x8xf32, strided<1,8>>
  tinytc.axpby n %one, %A, %zero, %0
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<4x8xf32, strided<1,8>>
  tinytc.store %zero, %C[%i, %i] : f32, !tinytc.memref<8x8xf32>
}
