// RUN: tinytc-opt %s --split-input-file --verify-diagnostics --tinytc-convert-to-tile

tinytc.func @no_strategy(%alpha: f32, %a: !tinytc.memref<64xf32>, %b: !tinytc.memref<64xf32>) {
  // expected-error @below {{expected a strategy, got none: run tinytc-choose-strategies first}}
  tinytc.axpby n %alpha, %a, %alpha, %a : f32, !tinytc.memref<64xf32>, f32, !tinytc.memref<64xf32>
}

// -----

tinytc.func @no_matrices(%alpha: f32, %a: !tinytc.memref<64xf32>, %b: !tinytc.memref<64xf32>) {
  // expected-error @below {{expected a strategy for an op of this form, in this work-group, got tile_products}}
  tinytc.axpby n %alpha, %a, %alpha, %b {tinytc.strategy = #tinytc.strategy<kind = tile_products, tile = [8]>} : f32, !tinytc.memref<64xf32>, f32, !tinytc.memref<64xf32>
}

// -----

tinytc.func @no_power_of_two(%alpha: f32, %a: !tinytc.memref<64xf32>, %b: !tinytc.memref<64xf32>) {
  // expected-error @below {{expected the strategy to have a tile of powers of two for 1 modes, not less than local memory, got [12]}}
  tinytc.axpby n %alpha, %a, %alpha, %b {tinytc.strategy = #tinytc.strategy<kind = tiles, tile = [12]>} : f32, !tinytc.memref<64xf32>, f32, !tinytc.memref<64xf32>
}
