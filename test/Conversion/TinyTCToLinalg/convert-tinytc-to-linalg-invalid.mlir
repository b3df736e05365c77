// RUN: tinytc-opt %s --convert-tinytc-to-linalg --verify-diagnostics

// expected-error @below {{expected the kernel to have a subgroup size and a work-group size, run tinytc-choose-work-group-size first}}
tinytc.func @no_sizes() {
  tinytc.yield
}
