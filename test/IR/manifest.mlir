// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

// Each record with all of its entries, and with those alone that it must have. Manifests are
// printed above the module.

// CHECK: #[[NONE:[a-z0-9]+]] = #tinytc.manifest<>
func.func private @none() attributes {tinytc.manifest = #tinytc.manifest<>}

// CHECK:      #[[LAUNCH:[a-z0-9]+]] = #tinytc.manifest<local_size = [16, 2, 1], groups_per_work_group = 4,
// CHECK-SAME:   groups_of_block = 2, local_memory_bytes = 1024, aligned_variant = "f__aligned",
// CHECK-SAME:   aligned_members_variant = "f__aligned_members", aligned_strides = true, variant_may_overlap = true,
// CHECK-SAME:   complex_parts = true>
func.func private @launch() attributes {tinytc.manifest = #tinytc.manifest<
  local_size = [16, 2, 1], groups_per_work_group = 4, groups_of_block = 2, local_memory_bytes = 1024,
  aligned_variant = "f__aligned", aligned_members_variant = "f__aligned_members", aligned_strides = true,
  variant_may_overlap = true, complex_parts = true>}

// CHECK:      #[[KERNEL:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "f", subgroup_size = 16,
// CHECK-SAME:   requires = ["f64"], arguments = [<name = "n", type = index>, <name = "A",
// CHECK-SAME:   type = memref<?x?xf64>, is_read = true, is_written = true, is_optional = true,
// CHECK-SAME:   alignment = 8, shape_gcd = [4], stride_gcd = [1, 4],
// CHECK-SAME:   modes = [1, 0], buffer = [0, #tinytc.sum<{{\[\[}}1, ["n"]], [1]]>]>,
// CHECK-SAME:   <name = "G", type = group<memref<4xf32> x ?>>],
// CHECK-SAME:   checks = [<types = ["i64", "f32"], diagnostic = <severity = "error", message = "{0} and {1}",
// CHECK-SAME:   filename = "f.ttl", line = 2, column = 3, length = 4,
// CHECK-SAME:   notes = [#tinytc.diagnostic<severity = "note", message = "here">]>, print = true>,
// CHECK-SAME:   <types = [], diagnostic = <severity = "error", message = "failed">>]>>
func.func private @kernel() attributes {tinytc.manifest = #tinytc.manifest<kernel = <
  name = "f", subgroup_size = 16, requires = ["f64"],
  arguments = [<name = "n", type = index>,
               <name = "A", type = memref<?x?xf64>, is_read = true, is_written = true,
                is_optional = true, alignment = 8, shape_gcd = [4], stride_gcd = [1, 4],
                modes = [1, 0], buffer = [0, #tinytc.sum<[[1, ["n"]], [1]]>]>,
               <name = "G", type = group<memref<4xf32> x ?>>],
  checks = [<types = ["i64", "f32"], diagnostic = <
               severity = "error", message = "{0} and {1}", filename = "f.ttl", line = 2, column = 3, length = 4,
               notes = [#tinytc.diagnostic<severity = "note", message = "here">]>, print = true>,
            <types = [], diagnostic = <severity = "error", message = "failed">>]>>}

// CHECK:      #[[BOUNDS:[a-z0-9]+]] = #tinytc.manifest<bounds = <flops_per_group = 2, bytes_per_group = 8,
// CHECK-SAME:   group_bounds = [<argument = "A", modes = [0, -1], dimension = 0,
// CHECK-SAME:   index = <slope = <{{\[\[}}1]]>, start = <[]>>,
// CHECK-SAME:   size = <{{\[\[}}2, ["A", 0], ["A", 1, "stride"]], [1, ["A", unit, "associated"]], [1, ["/", {{\[\[}}1, ["n"]]], 4]]]>,
// CHECK-SAME:   conditions = [<slope = <[]>, start = <[]>>], others = {{\[\[}}1, #tinytc.sum<{{\[\[}}1]]>]],
// CHECK-SAME:   block = <instruction = "load", line = 3, checked = "rows", reach = {{\[\[}}#tinytc.sum<[]>], [#tinytc.sum<[]>]]>>,
// CHECK-SAME:   <argument = "A", modes = [], dimension = 2, index = <slope = <[]>, start = <[]>>, conditions = []>],
// CHECK-SAME:   equal_sizes = [<size = <[]>, expected = <[]>, instruction = "gemm", line = 1, conditions = [<[]>], reason = "r">,
// CHECK-SAME:   <size = <[]>, expected = <[]>, instruction = "gemm">],
// CHECK-SAME:   disjoint_blocks = [<written = "A", read = "B", written_sizes = [?, 4], read_sizes = [], moved = [1],
// CHECK-SAME:   in_place = false, member_mode = 1, instruction = "axpby", line = 5>],
// CHECK-SAME:   unchecked_uses = [<argument = "A", modes = [0], reason = "r">],
// CHECK-SAME:   group_accesses = [<argument = "A", modes = [0], index = "group_id">,
// CHECK-SAME:   <argument = "A", modes = [1], index = "other", other = <reason = "r", line = 2>>],
// CHECK-SAME:   launch_dependent = [<instruction = "builtin.group_id">], grid_dimensions = [0, 1]>>
func.func private @bounds() attributes {tinytc.manifest = #tinytc.manifest<bounds = <
  flops_per_group = 2, bytes_per_group = 8,
  group_bounds = [<argument = "A", modes = [0, -1], dimension = 0,
                   index = <slope = <[[1]]>, start = <[]>>,
                   size = <[[2, ["A", 0], ["A", 1, "stride"]], [1, ["A", unit, "associated"]],
                            [1, ["/", [[1, ["n"]]], 4]]]>,
                   conditions = [<slope = <[]>, start = <[]>>], others = [[1, #tinytc.sum<[[1]]>]],
                   block = <instruction = "load", line = 3, checked = "rows",
                            reach = [[#tinytc.sum<[]>], [#tinytc.sum<[]>]]>>,
                  <argument = "A", modes = [], dimension = 2, index = <slope = <[]>, start = <[]>>,
                   conditions = []>],
  equal_sizes = [<size = <[]>, expected = <[]>, instruction = "gemm", line = 1, conditions = [<[]>],
                  reason = "r">,
                 <size = <[]>, expected = <[]>, instruction = "gemm">],
  disjoint_blocks = [<written = "A", read = "B", written_sizes = [?, 4], read_sizes = [], moved = [1],
                      in_place = false, member_mode = 1, instruction = "axpby", line = 5>],
  unchecked_uses = [<argument = "A", modes = [0], reason = "r">],
  group_accesses = [<argument = "A", modes = [0], index = "group_id">,
                    <argument = "A", modes = [1], index = "other", other = <reason = "r", line = 2>>],
  launch_dependent = [<instruction = "builtin.group_id">], grid_dimensions = [0, 1]>>}

// CHECK: @none() attributes {tinytc.manifest = #[[NONE]]}
// CHECK: @launch() attributes {tinytc.manifest = #[[LAUNCH]]}
// CHECK: @kernel() attributes {tinytc.manifest = #[[KERNEL]]}
// CHECK: @bounds() attributes {tinytc.manifest = #[[BOUNDS]]}
