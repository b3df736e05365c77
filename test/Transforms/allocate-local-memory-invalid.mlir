// RUN: tinytc-opt %s --prepare=target=intel-gpu:dg2 --split-input-file --verify-diagnostics

tinytc.func @too_much() {
  // expected-error @below {{expected at most 65536 bytes of local memory on target 'intel-gpu:dg2', got 65540 in kernel 'too_much'}}
  %a = tinytc.alloca : !tinytc.memref<16385xf32, local>
}

// -----

tinytc.func @the_first_one_beyond() {
  %a = tinytc.alloca : !tinytc.memref<16384xf32, local>
  // expected-error @below {{got 65664 in kernel 'the_first_one_beyond'}}
  %b = tinytc.alloca : !tinytc.memref<16xf32, local>
  %c = tinytc.alloca : !tinytc.memref<16xf32, local>
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
