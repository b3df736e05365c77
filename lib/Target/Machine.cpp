//===- Machine.cpp - What schedules know of a machine ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Target/Machine.h"

#include <numeric>

using namespace mlir::tinytc;

Machine mlir::tinytc::makeOpenCLMachine() {
  Machine machine;
  machine.costs.partialRegisterFactor = 0.6;
  machine.costs.gatherCycles = 1.5;
  machine.code.unrollFactor = 8;
  machine.code.maxUnrolledOps = 1024;
  machine.linesAtOnce = 4;
  machine.sumsPerLine = 2;
  machine.sumsOfSingleLine = 8;
  machine.preferredSubgroupSize = 16;
  machine.launches.maxGroupsPerWorkGroup = 256;
  return machine;
}

bool Cache::collides(int64_t count, int64_t strideBytes) const {
  if (sets == 0 || strideBytes % lineBytes != 0)
    return false;
  int64_t step = std::gcd(sets, strideBytes / lineBytes);
  return count > sets / step * ways;
}
