//===- NvidiaCostModel.cpp - Costs of GPUs of NVIDIA ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/NVIDIA/NvidiaCostModel.h"
#include "lib/Target/Machine.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::tinytc;

/// Small sizes get smaller tiles when the kernel runs: its largest ones are for large
/// sizes.
static constexpr int64_t kTypicalGridSize = 128;

/// A load and a store of an element, relative to a load, and the time until both are
/// done: measured on an H100.
static constexpr double kCopyCycles = 4;

namespace {

class GridReductionCost final : public ReductionCost {
public:
  GridReductionCost(const Machine &machine, const ReductionSizes &sizes, int64_t width)
      : ReductionCost(machine, sizes, width, kTypicalGridSize) {
    setLanes(machine.preferredSubgroupSize);
  }

  bool fits(int64_t tileRows, int64_t tileColumns) const override {
    int64_t steps = machine.alignedBytesAtOnce / elementBytes;
    // Rows and columns in parts of any number are halved and quartered.
    if ((hasDynamicRows && !llvm::isPowerOf2_64(tileRows)) ||
        (hasDynamicColumns && !llvm::isPowerOf2_64(tileColumns)))
      return false;
    // Large tiles of these wait for the elements of one step at a time.
    if (hasDynamicRows && hasDynamicColumns)
      steps = 1;
    int64_t values = tileRows * tileColumns + steps * (tileRows + tileColumns);
    return values * registersPerValue <= registers;
  }

private:
  double getTileCost(int64_t tileRows, int64_t tileColumns) const override {
    const TileCosts &costs = machine.costs;
    double values = tileRows * tileColumns * costPerValue;
    return std::max({values * costs.fmaCycles,
                     (tileRows + tileColumns) * costPerValue * costs.loadCycles,
                     costs.fmaLatencyCycles}) *
               length +
           values + costs.tileCycles;
  }
};

} // namespace

std::unique_ptr<ReductionCost> NvidiaCostModel::estimate(const Machine &machine,
                                                         const ReductionSizes &sizes,
                                                         int64_t width) const {
  return std::make_unique<GridReductionCost>(machine, sizes, width);
}

bool NvidiaCostModel::choosesGrids() const { return true; }

int64_t NvidiaCostModel::orTypical(int64_t size) const {
  return size == kUnknownSize ? kTypicalGridSize : size;
}

/// Several steps are one load.
int64_t NvidiaCostModel::chooseUnroll(const Machine &machine,
                                      const ReductionSizes &sizes, int64_t, int64_t,
                                      int64_t) const {
  if (sizes.length == kUnknownSize)
    return sizes.columns != 1 ? machine.costs.maxUnrolledSteps : 1;
  return chooseStepsOfLoop(machine, sizes.length);
}

/// Each work-item copies its share.
double NvidiaCostModel::getTransposition(const Machine &machine, double elements,
                                         int64_t, int64_t width,
                                         int64_t columnShares) const {
  return elements / double(width * columnShares) * kCopyCycles *
         machine.costs.loadCycles;
}
