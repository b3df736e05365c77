// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

func.func @for_c1(%i: !tile.tile<i32>, %j: !tile.tile<i64>) {
  // expected-error @below {{expected bounds and step of type '!tile.tile<i32>', got '!tile.tile<i64>'}}
  "tile.for"(%i, %j, %i) ({
  ^body(%k: !tile.tile<i32>):
    tile.continue
  }) : (!tile.tile<i32>, !tile.tile<i64>, !tile.tile<i32>) -> ()
  return
}

// -----

func.func @for_c2(%i: !tile.tile<i32>) {
  // expected-error @below {{expected the types of the initial values ('!tile.tile<i32>'), got ('!tile.tile<f32>')}}
  %0 = tile.for %i to %i step %i : !tile.tile<i32> init %i : !tile.tile<i32> -> !tile.tile<f32> {
  ^body(%k: !tile.tile<i32>, %x: !tile.tile<i32>):
    tile.continue %x : !tile.tile<i32>
  }
  return
}

// -----

func.func @for_c3(%i: !tile.tile<i32>) {
  // expected-error @below {{expected the types of the number and the carried values ('!tile.tile<i32>'), got ()}}
  tile.for %i to %i step %i : !tile.tile<i32> {
    tile.continue
  }
  return
}

// -----

func.func @loop_c1(%i: !tile.tile<i32>) {
  // expected-error @below {{expected the types of the carried values ('!tile.tile<i32>'), got ()}}
  tile.loop init %i : !tile.tile<i32> {
    tile.break
  }
  return
}

// -----

func.func @if_c1(%c: !tile.tile<i1>) {
  // expected-error @below {{expected an else body for 1 results, got none}}
  %0 = tile.if %c -> !tile.tile<i1> {
    tile.yield %c : !tile.tile<i1>
  }
  return
}

// -----

func.func @continue_c1(%c: !tile.tile<i1>) {
  tile.if %c {
    // expected-error @below {{expected a loop around it, got none}}
    tile.continue
  }
  return
}

// -----

func.func @continue_c2(%i: !tile.tile<i32>) {
  tile.for %i to %i step %i : !tile.tile<i32> {
  ^body(%k: !tile.tile<i32>):
    // expected-error @below {{expected the types of the carried values (), got ('!tile.tile<i32>')}}
    tile.continue %k : !tile.tile<i32>
  }
  return
}

// -----

func.func @break_c1(%c: !tile.tile<i1>, %i: !tile.tile<i32>) {
  tile.for %i to %i step %i : !tile.tile<i32> {
  ^body(%k: !tile.tile<i32>):
    tile.if %c {
      // expected-error @below {{expected tile.loop as the innermost loop, got tile.for}}
      tile.break
    }
    tile.continue
  }
  return
}

// -----

func.func @break_c2(%i: !tile.tile<i32>) {
  tile.loop {
    // expected-error @below {{expected the types of the loop's results (), got ('!tile.tile<i32>')}}
    tile.break %i : !tile.tile<i32>
  }
  return
}
