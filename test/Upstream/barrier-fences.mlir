// RUN: not tinytc-opt %s 2>&1 | FileCheck %s

// A barrier cannot say which memory it fences.

func.func @barrier() {
  // CHECK: 'memfence' is unknown
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  return
}
