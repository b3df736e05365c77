// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-choose-strategies --verify-diagnostics

// expected-error @+1 {{expected the kernel to have a subgroup size and a work-group size, got none: run tinytc-choose-work-group-size first}}
tinytc.func @sizes() {
}
