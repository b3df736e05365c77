// RUN: not tinytc-opt %s 2>&1 | FileCheck %s

// A vector of 64 bytes aligns an array of local memory, but no module can have one.

spirv.module Physical64 OpenCL {
  // CHECK: vector length has to be less than or equal to 4
  spirv.GlobalVariable @local : !spirv.ptr<!spirv.array<4 x vector<8xi64>>, Workgroup>
}
