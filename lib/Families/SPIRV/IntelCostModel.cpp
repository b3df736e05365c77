//===- IntelCostModel.cpp - Costs of GPUs of Intel ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/SPIRV/IntelCostModel.h"
#include "lib/Target/LaneLayout.h"
#include "lib/Target/Machine.h"

using namespace mlir::tinytc;

namespace {

/// A product whose shared factor goes through the registers of the lanes.
class SharedReductionCost final : public ReductionCost {
public:
  SharedReductionCost(const Machine &machine, const SharedCosts &shared,
                      const ReductionSizes &sizes, int64_t width)
      : ReductionCost(machine, sizes, width), shared(shared),
        sharingLanes(sizes.sharingLanes), hasLocalRows(sizes.hasLocalRows) {
    if (sizes.isInLoop)
      registers -= shared.loopRegisters;
    setLanes(sharingLanes);
  }

  bool fits(int64_t tileRows, int64_t tileColumns) const override {
    return fitsSteps(tileRows, tileColumns, 1);
  }

  /// Steps of the sum whose shared elements lanes hold at once: all of them or, in a
  /// loop, about as many as fit, with as few steps after the loop as possible.
  int64_t chooseSteps(int64_t tileRows, int64_t tileColumns,
                      bool hasDynamicLength) const override {
    int64_t most = std::min(shared.maxUnrolledProducts / (tileRows * tileColumns),
                            shared.maxUnrolledLoads / tileRows);
    most = std::min(most, hasDynamicLength ? shared.maxDynamicSharedSteps : length);
    int64_t first = 0, best = 0;
    for (int64_t steps = most; steps > first / 2; --steps) {
      // Two blocks would be no loop, but twice the code.
      bool isLoop = hasDynamicLength || steps == length || 2 * steps <= length;
      if (!isLoop || !fitsSteps(tileRows, tileColumns, steps))
        continue;
      if (first == 0)
        first = best = steps;
      if (hasDynamicLength)
        break;
      if (length % steps < length % best)
        best = steps;
    }
    return std::max<int64_t>(best, 1);
  }

private:
  /// The lanes' shares of `steps` steps, which are contiguous if they are all.
  LaneLayout getLayout(int64_t tileColumns, int64_t steps) const {
    bool isLine = steps == length;
    return LaneLayout(isLine ? steps * tileColumns : steps, isLine ? 1 : tileColumns,
                      elementBytes, sharingLanes);
  }

  /// Whether there are registers for the sums, rows, their addresses and the elements
  /// that a lane has loaded for others.
  bool fitsSteps(int64_t tileRows, int64_t tileColumns, int64_t steps) const {
    LaneLayout layout = getLayout(tileColumns, steps);
    int64_t values =
        tileRows * tileColumns + 3 * tileRows + layout.getNumLoads() * layout.perLane;
    // Without a loop over the steps, their rows are the same for all tiles of columns.
    if (hasLocalRows && steps == length && tileColumns < columns)
      values += tileRows * steps;
    return values * registersPerValue <= registers;
  }

  /// Instructions for a load or a store of a value for each lane: the addresses take 8
  /// bytes for each of them.
  double getMessageCost() const {
    return shared.messageCycles +
           double(8 * sharingLanes) / double(2 * machine.registerBytes);
  }

  double getTileCost(int64_t tileRows, int64_t tileColumns) const override {
    // A mode of size 0 has tiles without elements.
    if (tileRows == 0 || tileColumns == 0)
      return 0;
    double values = tileRows * tileColumns * costPerValue;
    int64_t steps = chooseSteps(tileRows, tileColumns, false);
    double loads =
        tileRows + double(getLayout(tileColumns, steps).getNumLoads()) / double(steps);
    double cost =
        (values * machine.costs.fmaCycles + loads * getMessageCost()) * length;
    if (length > steps)
      cost += llvm::divideCeil(length, steps) * shared.blockCycles;
    return cost + tileRows * tileColumns * getMessageCost() + machine.costs.tileCycles;
  }

  const SharedCosts &shared;
  int64_t sharingLanes;
  bool hasLocalRows;
};

} // namespace

std::unique_ptr<ReductionCost> IntelCostModel::estimate(const Machine &machine,
                                                        const ReductionSizes &sizes,
                                                        int64_t width) const {
  if (sizes.sharingLanes == 0)
    return CostModel::estimate(machine, sizes, width);
  return std::make_unique<SharedReductionCost>(machine, costs, sizes, width);
}

int64_t IntelCostModel::chooseUnroll(const Machine &machine,
                                     const ReductionSizes &sizes, int64_t width,
                                     int64_t tileRows, int64_t tileColumns) const {
  if (sizes.sharingLanes == 0)
    return CostModel::chooseUnroll(machine, sizes, width, tileRows, tileColumns);
  return estimate(machine, sizes, width)
      ->chooseSteps(tileRows, tileColumns, sizes.length == kUnknownSize);
}
