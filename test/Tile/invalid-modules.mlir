// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tile.module @module_c1 {
  // expected-error @below {{expected only tile.entry in a tile.module, got func.func}}
  func.func private @f()
}

// -----

tile.module @entry_c1 {
  // expected-error @below {{expected parameter 0 to be a tile without dimensions, got '!tile.tile<4xf32>'}}
  tile.entry @f(%x: !tile.tile<4xf32>) {
    tile.return
  }
}

// -----

tile.module @entry_c2 {
  // expected-error @below {{expected no results, got 1}}
  tile.entry @f() -> !tile.tile<f32> {
    tile.return
  }
}

// -----

tile.module @entry_c3 {
  // expected-error @below {{expected hints for "sm_90" to be a dictionary of integers, got 4 : i64}}
  tile.entry @f() attributes {optimization_hints = {sm_90 = 4 : i64}} {
    tile.return
  }
}

// -----

tile.module @return_c1 {
  tile.entry @f(%c: !tile.tile<i1>) {
    tile.loop {
      tile.if %c {
        // expected-error @below {{expected no loop around it, got tile.loop}}
        tile.return
      }
      tile.break
    }
    tile.return
  }
}

// -----

func.func @assume_c1(%x: !tile.tile<f32>) {
  // expected-error @below {{expected a tile of integers or pointers, or a tensor view for div_by, got '!tile.tile<f32>'}}
  %0 = tile.assume #tile.div_by<4>, %x : !tile.tile<f32>
  return
}
