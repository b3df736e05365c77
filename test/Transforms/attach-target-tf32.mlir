// RUN: tinytc-opt %s --tinytc-attach-target="target=intel-gpu:pvc allow-tf32" \
// RUN:   | FileCheck %s
// RUN: tinytc-opt %s --tinytc-attach-target="target=intel-gpu:bmg registers=256 allow-tf32" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,MORE
// RUN: tinytc-opt %s --tinytc-attach-target=target=intel-gpu:pvc \
// RUN:   | FileCheck %s --check-prefix=USUAL
// RUN: not tinytc-opt %s --tinytc-attach-target="target=intel-gpu:dg2 allow-tf32" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DG2

// USUAL-NOT: allow_tf32
// DG2: expected a target whose matrix unit multiplies tf32 for 'allow_tf32', one of intel-gpu:pvc, intel-gpu:bmg, got 'intel-gpu:dg2'

//      CHECK: module
//  MORE-SAME:   registers = 256
// CHECK-SAME:   allow_tf32 = true
module {}
