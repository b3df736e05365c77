// The line that names the version, at the begin of what is printed and what is read.
// RUN: split-file %s %t
// RUN: tinytc-opt --lower-to-linalg %t/unstamped.mlir | FileCheck %s --check-prefix=STAMP
// RUN: tinytc-opt %t/unstamped.mlir | tinytc-opt | FileCheck %s --check-prefix=STAMP
// RUN: tinytc-opt %t/unstamped.mlir | sed "1s/[0-9]*$/999/" | tinytc-opt | FileCheck %s --check-prefix=STAMP
// RUN: tinytc-opt --emit-bytecode %t/unstamped.mlir | tinytc-opt | FileCheck %s --check-prefix=STAMP
// RUN: not tinytc-opt %t/other.mlir -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not ls %t/out.mlir
// RUN: not tinytc-opt < %t/other.mlir 2>&1 | FileCheck %s --check-prefix=STDIN
// RUN: not tinytc-opt %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tinytc-opt %t/wrong.mlir 2>/dev/null | count 0

//      STAMP: {{^// tinytc-mlir [0-9]+[.][0-9]+[.][0-9]+$}}
// STAMP-NEXT: {{^(#|module)}}
//  STAMP-NOT: // tinytc-mlir
//      STAMP: func @f
// OTHER: other.mlir:1:1: error: expected a stage that tinytc-mlir {{[0-9.]+}} printed, got one of version 999.0.1: keep the program, and print the stage again{{$}}
// STDIN: {{^}}<stdin>:1:1: error: expected a stage that tinytc-mlir
// NONE: {{^}}error: cannot open input file '{{.*}}none.mlir'

//--- unstamped.mlir
// Written by hand.
module {
  tinytc.func @f(%a: !tinytc.memref<8xf32>) {
  }
}
//--- other.mlir
// tinytc-mlir 999.0.1
module {
}
//--- wrong.mlir
module {
  tinytc.func @f(
}
