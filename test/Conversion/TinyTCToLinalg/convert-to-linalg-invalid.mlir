// RUN: tinytc-opt %s --split-input-file --tinytc-convert-to-linalg \
// RUN:   --verify-diagnostics

// expected-error @below {{expected the kernel to have a subgroup size and a work-group size, got none: run tinytc-choose-work-group-size first}}
tinytc.func @no_sizes() {
  tinytc.yield
}

// -----

tinytc.func @no_place() attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  // expected-error @below {{expected the alloca to have a place in local memory, got none: run tinytc-allocate-local-memory first}}
  %a = tinytc.alloca : !tinytc.memref<4xf32, local>
  tinytc.yield
}
