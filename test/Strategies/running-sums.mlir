// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-choose-work-group-size \
// RUN:   --tinytc-choose-strategies | FileCheck %s

!m = !tinytc.memref<8x9xf32>

// CHECK-LABEL: @along_modes
//       CHECK:   tinytc.cumsum {{.*}}, 0, {{.*}} {tinytc.strategy = #tinytc.strategy<kind = scan>}
//       CHECK:   tinytc.cumsum {{.*}}, 1, {{.*}} {tinytc.strategy = #tinytc.strategy<kind = line_walks, rows = 16>}
tinytc.func @along_modes(%alpha: f32, %a: !m, %b: !m) {
  tinytc.cumsum %alpha, %a, 0, %alpha, %b : f32, !m, f32, !m
  tinytc.cumsum %alpha, %a, 1, %alpha, %b : f32, !m, f32, !m
}
