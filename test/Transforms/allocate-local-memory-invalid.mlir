// RUN: tinytc-opt %s --prepare=target=intel-gpu:dg2 --split-input-file --verify-diagnostics

// expected-error @below {{expected at most 65536 bytes of local memory on target 'intel-gpu:dg2', got 65540}}
tinytc.func @too_much() {
  %a = tinytc.alloca : !tinytc.memref<16385xf32, local>
}

// -----

tinytc.func @alignment_beyond_local_memory() {
  // expected-error @below {{expected 'alignment' to divide that of local memory, 128, got 256}}
  %a = tinytc.alloca {alignment = 256 : i64} : !tinytc.memref<4xf32, local>
}

// -----

tinytc.func @alignment_is_no_divisor() {
  // expected-error @below {{expected 'alignment' to divide that of local memory, 128, got 12}}
  %a = tinytc.alloca {alignment = 12 : i64} : !tinytc.memref<4xf32, local>
}
