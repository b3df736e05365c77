// RUN: tinytc-opt %s --tinytc-convert-to-tile | FileCheck %s

// CHECK-LABEL: tile.entry @tile
//       CHECK:   tile.for
//       CHECK:     !tile.tile<8xf32>
tinytc.func @tile(%alpha: f32, %a: !tinytc.memref<64xf32>, %b: !tinytc.memref<64xf32>) {
  tinytc.axpby n %alpha, %a, %alpha, %b {tinytc.strategy = #tinytc.strategy<kind = tiles, tile = [8]>} : f32, !tinytc.memref<64xf32>, f32, !tinytc.memref<64xf32>
}
