// RUN: tinytc-opt %s --canonicalize | FileCheck %s

// One of two adjacent barriers is dropped, whatever it fences.

// CHECK-LABEL: @barriers
//       CHECK:   gpu.barrier {fences = ["local"]}
//  CHECK-NEXT:   return
func.func @barriers() {
  gpu.barrier {fences = ["global"]}
  gpu.barrier {fences = ["local"]}
  return
}
