// RUN: tinytc-opt %s --tinytc-attach-target=target=intel-gpu:dg2 --split-input-file --verify-diagnostics

// expected-error @+1 {{expected no f64 on target 'intel-gpu:dg2', which has no such type, got '!tinytc.memref<4xf64>'}}
tinytc.func @parameter(%a: !tinytc.memref<4xf64>) {
}

// -----

tinytc.func @value() {
  // expected-error @+1 {{expected no f64 on target 'intel-gpu:dg2', which has no such type, got 'complex<f64>'}}
  %0 = tinytc.constant [1.0 : f64, 0.0 : f64] -> complex<f64>
}
