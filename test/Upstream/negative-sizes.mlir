// RUN: not --crash tinytc-opt %s --canonicalize 2>&1 | FileCheck %s

// A constant size below 0, in code that may never run, ends the process.

// CHECK: invalid memref size
func.func @view(%a: memref<6xf32>) -> memref<?xf32> {
  %size = arith.constant -1 : index
  %view = memref.reinterpret_cast %a to offset: [0], sizes: [%size], strides: [1]
      : memref<6xf32> to memref<?xf32>
  return %view : memref<?xf32>
}
