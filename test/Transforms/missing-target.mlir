// RUN: tinytc-opt %s --tinytc-choose-work-group-size --verify-diagnostics
// RUN: tinytc-opt %s --tinytc-choose-strategies --verify-diagnostics
// RUN: tinytc-opt %s --tinytc-normalize-linalg --verify-diagnostics
// RUN: tinytc-opt %s --tinytc-distribute-linalg --verify-diagnostics
// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv --verify-diagnostics

// expected-error @below {{expected the module to have a target, got none: run tinytc-attach-target first}}
module {}
