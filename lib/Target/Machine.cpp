//===- Machine.cpp - What schedules know of a machine ---------------------===//

#include "lib/Target/Machine.h"

#include <numeric>

using namespace mlir::tinytc;

bool Machine::collidesInCache(int64_t count, int64_t strideBytes) const {
  if (cacheSets == 0 || strideBytes % cacheLineBytes != 0)
    return false;
  int64_t step = std::gcd(cacheSets, strideBytes / cacheLineBytes);
  return count > cacheSets / step * cacheWays;
}
