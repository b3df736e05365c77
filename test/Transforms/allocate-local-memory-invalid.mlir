// RUN: tinytc-opt %s --prepare=target=intel-gpu:dg2 --verify-diagnostics

// expected-error @below {{expected at most 65536 bytes of local memory on target 'intel-gpu:dg2', got 65540}}
tinytc.func @too_much() {
  %a = tinytc.alloca : !tinytc.memref<16385xf32, local>
}
