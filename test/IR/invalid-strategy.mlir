// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected the entries of a strategy not to be negative, got -1}}
func.func private @negative() attributes {strategy = #tinytc.strategy<kind = work_items, columns = -1>}
