//===- Cpu.cpp - Processors behind a driver of OpenCL ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The driver turns the lanes of a subgroup into vector registers, and runs one
// work-group on a core at a time.
//
//===----------------------------------------------------------------------===//

#include "lib/Families/SPIRV/Targets.h"
#include "lib/Target/CpuMachines.h"

using namespace mlir::tinytc;

Target mlir::tinytc::makeCpu() {
  Target target;
  target.name = "cpu";
  target.family = kCpuFamily;
  target.subgroupSizes = {4, 8, 16, 32, 64};
  target.maxWorkGroupSize = 8192;
  target.localMemoryBytes = 256 * 1024;
  target.maxDeclaredLocalMemoryBytes = target.localMemoryBytes;
  target.hasF64 = true;
  target.machines = {makeAvx512(), makeAvx2(), makeSse()};
  target.getHostRegisterBytes = getHostRegisterBytes;
  return target;
}
