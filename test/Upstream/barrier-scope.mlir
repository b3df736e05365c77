// RUN: not tinytc-opt %s 2>&1 | FileCheck %s

// A barrier cannot be one of a subgroup.

func.func @barrier() {
  // CHECK: 'scope' is unknown
  gpu.barrier scope <subgroup>
  return
}
