//===- Machine.cpp - What schedules know of a machine ---------------------===//

#include "lib/Target/Machine.h"

#include <numeric>

using namespace mlir::tinytc;

Machine mlir::tinytc::makeOpenCLMachine() {
  Machine machine;
  machine.partialRegisterFactor = 0.6;
  machine.gatherCycles = 1.5;
  machine.driverUnrollFactor = 8;
  machine.maxUnrolledOps = 1024;
  machine.linesAtOnce = 4;
  machine.sumsPerLine = 2;
  machine.sumsOfSingleLine = 8;
  machine.preferredSubgroupSize = 16;
  machine.maxGroupsPerWorkGroup = 256;
  return machine;
}

bool Machine::collidesInCache(int64_t count, int64_t strideBytes) const {
  if (cacheSets == 0 || strideBytes % cacheLineBytes != 0)
    return false;
  int64_t step = std::gcd(cacheSets, strideBytes / cacheLineBytes);
  return count > cacheSets / step * cacheWays;
}
