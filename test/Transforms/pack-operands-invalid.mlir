// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc.func(tinytc-pack-operands))' --verify-diagnostics

// expected-error @below {{expected the module to have a target, got none: run tinytc-attach-target first}}
tinytc.func @product() {}
