// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target | FileCheck %s
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=intel-gpu:dg2 \
// RUN:   | FileCheck %s --check-prefix=DG2
// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=native \
// RUN:   | FileCheck %s --check-prefix=NATIVE

//       CHECK: module
//  CHECK-SAME:   tinytc.target = #tinytc.target<name = "cpu"
//  CHECK-SAME:   f64 = true
//         DG2: module
//    DG2-SAME:   tinytc.target = #tinytc.target<name = "intel-gpu:dg2"
//    DG2-SAME:   f64 = false
//      NATIVE: module
// NATIVE-SAME:   name = "cpu"
// NATIVE-SAME:   vector_bytes = {{16|32|64}}
module @attaches {}

// -----

//       CHECK: module @negative_keeps_its_target
//  CHECK-SAME:   name = "intel-gpu:pvc", family = intel_gpu, subgroup_sizes = [2]
//         DG2: module @negative_keeps_its_target
//    DG2-SAME:   name = "intel-gpu:pvc", family = intel_gpu, subgroup_sizes = [2]
//      NATIVE: module @negative_keeps_its_target
//  NATIVE-NOT:   vector_bytes
module @negative_keeps_its_target attributes {tinytc.target = #tinytc.target<
  name = "intel-gpu:pvc", family = intel_gpu, subgroup_sizes = [2], max_work_group_size = 8,
  local_memory_bytes = 64, f64 = true>} {}
