//===- TensorCores.cpp - Products on tensor cores -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/MatrixUnit.h"
#include "lib/Analysis/Schedule.h"
#include "lib/IR/WarpFragments.h"
#include "lib/Strategies/Choose.h"
#include "lib/Strategies/Products.h"

using namespace mlir;
using namespace mlir::tinytc;

bool tinytc::isStreamed(Value matrix) {
  if (cast<MemrefType>(matrix.getType()).isLocal())
    return false;
  while (Operation *op = matrix.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    auto subview = dyn_cast<SubviewOp>(op);
    if (!view || (subview && !subview.getOffsets().empty()))
      return true;
    matrix = view.getViewSource();
  }
  return false;
}

/// Whether the multiply-adds of a product take longer than the matrices take to come
/// from memory, and go there.
static bool isBoundBySums(GemmOp op, const Machine &machine, double multiplyAdds) {
  double elements = 0;
  auto count = [&](Value matrix, int64_t times) {
    auto type = cast<MemrefType>(matrix.getType());
    if (isStreamed(matrix))
      elements += times * orTypical(type.getShape()[0]) * orTypical(type.getShape()[1]);
  };
  count(op.getA(), 1);
  count(op.getB(), 1);
  count(op.getC(), isConstant(op.getBeta(), 0) ? 1 : 2);
  double bytes = elements * getSizeBytes(getScalarType(op.getC().getType()));
  return multiplyAdds / machine.unit.doubleFmasPerCycle >
         bytes / machine.memoryBytesPerCycle;
}

bool tinytc::isWorthTensorCores(GemmOp op, const Machine &machine) {
  /// The gain from which on tensor cores pay for loads that are less regular.
  static constexpr double kLeastGain = 1.25;
  auto c = cast<MemrefType>(op.getC().getType());
  Type type = getScalarType(op.getA().getType());
  WarpFragments fragments = *WarpFragments::get(type);
  double used = 1, all = 1;
  const std::pair<int64_t, int64_t> modes[] = {
      {c.getShape()[0], WarpFragments::kColumns},
      {c.getShape()[1], WarpFragments::kRows},
      {ProductSizes(op).summed, fragments.depth}};
  for (auto [size, step] : modes) {
    used *= orTypical(size);
    all *= llvm::alignTo(orTypical(size), step);
  }
  double speed = type.isF64()        ? machine.unit.doubleSpeed
                 : type.isInteger(8) ? machine.unit.byteSpeed
                                     : machine.unit.halfSpeed;
  if (used == 0 || all * kLeastGain > used * speed)
    return false;
  return !type.isF64() || isBoundBySums(op, machine, used);
}

/// Cycles of a core for one step of a tile: an operation of tensor cores for each pair
/// of blocks, and loads, of numbers that are neighbours if sizes keep them aligned.
static double estimateStep(const WarpTile &tile, int64_t rows, int64_t summed,
                           int64_t slots, int64_t bytes) {
  static constexpr int64_t kOperationCycles = 8, kLoadCycles = 4, kBytesAtOnce = 16;
  auto countLoads = [&](int64_t count, int64_t size) -> int64_t {
    bool isAligned = llvm::isPowerOf2_64(count) && size % count == 0;
    return isAligned ? llvm::divideCeil(count * bytes, kBytesAtOnce) : count;
  };
  double loads = slots * countLoads(tile.rowBlocks, rows) +
                 double(WarpFragments::kHalves * tile.columnBlocks *
                        countLoads(slots * tile.steps, summed)) /
                     tile.steps;
  return kOperationCycles * tile.rowBlocks * tile.columnBlocks + kLoadCycles * loads;
}

/// The tile for factors of `type`; sizes may be dynamic.
static WarpTile chooseWarpTile(int64_t rows, int64_t columns, int64_t summed, Type type,
                               ScheduleAttr given) {
  // The sums of such a tile are 40 registers, or 64 for f64.
  const int64_t maxBlocks = type.isF64() ? 8 : 10;
  static constexpr int64_t kMaxRowBlocks = 5, kMaxColumnBlocks = 3;
  WarpFragments fragments = *WarpFragments::get(type);
  auto isMultiple = [&](int64_t steps) {
    return !ShapedType::isDynamic(summed) && summed % (steps * fragments.depth) == 0;
  };
  // Where sizes are dynamic, each row and column has an address of its own.
  WarpTile tile{4, 2, isMultiple(2) ? 2 : 1};
  double lowest = std::numeric_limits<double>::infinity();
  if (!llvm::is_contained({rows, columns, summed}, ShapedType::kDynamic))
    for (int64_t rowBlocks = 1; rowBlocks <= kMaxRowBlocks; ++rowBlocks)
      for (int64_t columnBlocks = 1; columnBlocks <= kMaxColumnBlocks; ++columnBlocks) {
        WarpTile candidate{rowBlocks, columnBlocks, tile.steps};
        double cost = estimateStep(candidate, rows, summed, fragments.getNumSlots(),
                                   getSizeBytes(type)) *
                      llvm::divideCeil(rows, candidate.getRows()) *
                      llvm::divideCeil(columns, candidate.getColumns());
        if (rowBlocks * columnBlocks <= maxBlocks && cost < lowest) {
          lowest = cost;
          tile = candidate;
        }
      }
  if (given && given.getRows() != 0)
    tile.rowBlocks = given.getRows();
  if (given && given.getColumns() != 0)
    tile.columnBlocks = llvm::divideCeil(given.getColumns(), WarpFragments::kRows);
  if (given && given.getUnroll() != 0 && isMultiple(given.getUnroll()))
    tile.steps = given.getUnroll();
  return tile;
}

int64_t tinytc::countWarpTiles(GemmOp op, ScheduleAttr given) {
  ArrayRef<int64_t> c = cast<MemrefType>(op.getC().getType()).getShape();
  WarpTile tile = chooseWarpTile(c[0], c[1], ProductSizes(op).summed,
                                 getScalarType(op.getA().getType()), given);
  auto count = [](int64_t size, int64_t step) -> int64_t {
    return ShapedType::isDynamic(size) ? 1 : llvm::divideCeil(size, step);
  };
  return count(c[0], tile.getRows()) * count(c[1], tile.getColumns());
}

Strategy tinytc::chooseTensorCores(GemmOp op, const Launch &launch) {
  ProductSizes sizes(op);
  WarpTile tile = chooseWarpTile(sizes.rows, sizes.columns, sizes.summed,
                                 getScalarType(op.getA().getType()), launch.schedule);
  Strategy strategy{StrategyKind::TensorCores};
  strategy.rows = tile.getRows();
  strategy.columns = tile.getColumns();
  strategy.unroll = tile.steps;
  return strategy;
}
