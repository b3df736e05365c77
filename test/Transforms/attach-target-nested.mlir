// RUN: tinytc-opt %s --split-input-file --allow-unregistered-dialect \
// RUN:   --tinytc-attach-target --verify-diagnostics

module {
  module {
    // expected-error @+1 {{expected a kernel directly in the module that is lowered, got one in 'builtin.module' within it}}
    tinytc.func @in_a_module() {
    }
  }
}

// -----

"test.graph"() ({
  // expected-error @+1 {{expected a kernel directly in the module that is lowered, got one in 'test.graph' within it}}
  tinytc.func @in_an_unknown_op() {
  }
}) : () -> ()
