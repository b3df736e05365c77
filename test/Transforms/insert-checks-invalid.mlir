// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc.func(tinytc-insert-checks))' --verify-diagnostics

// expected-error @+1 {{expected the kernel to have a work-group size, got none: run tinytc-choose-work-group-size first}}
tinytc.func @no_size(%a: !tinytc.memref<?xf32>, %i: index) {
  %x = tinytc.load %a[%i] : !tinytc.memref<?xf32>
}
