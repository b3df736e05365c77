// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s

// CHECK-LABEL: @boxes
// CHECK-SAME: {tinytc.nonzero = [array<i64: 0, 8, 0, 8>, array<i64: 4, 16, 8, 12>]}
// CHECK-SAME: {tinytc.nonzero = []}
// CHECK-SAME: {tinytc.nonzero = [array<i64: 1, 2>]}
// CHECK: tinytc.alloca {nonzero = [array<i64: 0, 2>]} : !tinytc.memref<4x4xf32, local>
tinytc.func @boxes(
    %A: !tinytc.memref<16x12x?xf32>
        {tinytc.nonzero = [array<i64: 0, 8, 0, 8>, array<i64: 4, 16, 8, 12>]},
    %B: !tinytc.memref<4xf32> {tinytc.nonzero = []},
    %C: !tinytc.group<!tinytc.memref<4x?xf32> x ?>
        {tinytc.nonzero = [array<i64: 1, 2>]}) {
  %0 = tinytc.alloca {nonzero = [array<i64: 0, 2>]} : !tinytc.memref<4x4xf32, local>
}
