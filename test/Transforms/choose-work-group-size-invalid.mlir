// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --verify-diagnostics

// expected-error @below {{expected 'subgroup_size' to be one of 4, 8, 16, 32, 64 on target 'cpu', got 12}}
tinytc.func @subgroup_size() attributes {subgroup_size = 12 : i32} {
  tinytc.yield
}

// -----

// expected-error @below {{expected the first mode of 'work_group_size' to be a multiple of one of the subgroup sizes 4, 8, 16, 32, 64 of target 'cpu', got 6}}
tinytc.func @no_subgroup_size_fits() attributes {work_group_size = array<i32: 6, 2>} {
  tinytc.yield
}

// -----

// expected-error @below {{expected the product of 'work_group_size' to be at most 8192 on target 'cpu', got 4096 * 4 = 16384}}
tinytc.func @product() attributes {work_group_size = array<i32: 4096, 4>} {
  tinytc.yield
}

// -----

// expected-error @below {{expected the first sizes of tiles to be multiples of one of the subgroup sizes 4, 8, 16, 32, 64 of target 'cpu', got multiples of 6 at most}}
tinytc.func @no_subgroup_size_fits_tiles(%i: index) {
  tinytc.foreach_tile (%j) = (%i), (%i) as (%m) <= (12) {
  }
  tinytc.foreach_tile (%j) = (%i), (%i) as (%m) <= (6) {
  }
}

// -----

// expected-error @below {{expected a subgroup size of 4, 8, 16, 32, 64 on target 'cpu' that divides the first mode of 'work_group_size' and the first sizes of tiles, got 6 and multiples of 8}}
tinytc.func @no_subgroup_size_fits_both(%i: index)
    attributes {work_group_size = array<i32: 6, 1>} {
  tinytc.foreach_tile (%j) = (%i), (%i) as (%m) <= (8) {
  }
}
