// RUN: tinytc-opt %s --split-input-file \
// RUN:   --tinytc-attach-target="target=intel-gpu:pvc registers=256" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,MORE
// RUN: tinytc-opt %s --split-input-file \
// RUN:   --tinytc-attach-target="target=intel-gpu:pvc registers=128" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,USUAL
// RUN: not tinytc-opt %s --tinytc-attach-target=registers=256 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CPU

// CPU: expected 'registers' of target 'cpu' to be 0, got 256

// With twice the registers, half as many threads fit.
//       CHECK: module
//   MORE-SAME:   max_work_group_size = 512
//   MORE-SAME:   registers = 256
//  USUAL-SAME:   max_work_group_size = 1024
//  USUAL-SAME:   registers = 128
module {}

// -----

//       CHECK: module @negative_keeps_its_number
//  CHECK-SAME:   max_work_group_size = 64
//  CHECK-SAME:   registers = 128
module @negative_keeps_its_number attributes {tinytc.target = #tinytc.target<
  name = "intel-gpu:pvc", family = intel_gpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true, registers = 128>} {}
