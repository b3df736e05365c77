// RUN: not tinytc-opt %s --tinytc-adjoint=wrt=z 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tinytc-opt %s --tinytc-tangent=wrt=7 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tinytc-opt %s --tinytc-tangent=wrt=n 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not tinytc-opt %s --tinytc-tangent=kernel=g 2>&1 | FileCheck %s --check-prefix=TANGENT
// RUN: not tinytc-opt %s --tinytc-adjoint=kernel=g 2>&1 | FileCheck %s --check-prefix=ADJOINT

//    NAME: error: 'tinytc.func' op expected a parameter 'z', got none
//  NUMBER: error: 'tinytc.func' op expected a parameter '7', got none
// INTEGER: error: 'tinytc.func' op expected parameter 'n' to be of floating or complex type, got 'index'
// TANGENT: error: expected a kernel named 'g', got none
// ADJOINT: error: expected a kernel named 'g', got none
tinytc.func @f(%x: f32, %n: index, %A: !tinytc.memref<8xf32>) {
  tinytc.store %x, %A[%n] : f32, !tinytc.memref<8xf32>
}
