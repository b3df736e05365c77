// RUN: tinytc-opt %s --split-input-file \
// RUN:   --tinytc-attach-target="target=cpu vector-bytes=32 native" | FileCheck %s
// RUN: not tinytc-opt %s --split-input-file --tinytc-attach-target=vector-bytes=48 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG

// WRONG: expected 'vector_bytes' of target 'cpu' to be one of 0, 64, 32, 16, got 48

//      CHECK: module
// CHECK-SAME:   vector_bytes = 32
module {}

// -----

//      CHECK: module @overrules_what_is_attached
// CHECK-SAME:   max_work_group_size = 64
// CHECK-SAME:   vector_bytes = 32
module @overrules_what_is_attached attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true, vector_bytes = 64>} {}
