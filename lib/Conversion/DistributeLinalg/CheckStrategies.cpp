//===- CheckStrategies.cpp - Whether strategies fit linalg ops ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Elementwise.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Checks entries that have to be positive.
static LogicalResult verifyEntries(Operation *op,
                                   ArrayRef<std::pair<StringRef, int64_t>> entries) {
  for (auto [name, value] : entries)
    if (failed(verifyPositive(op, name, value)))
      return failure();
  return success();
}

/// Whether a work-group is one subgroup, whose lanes lie along the rows.
static bool isOneSubgroup(const WorkGroup &group) {
  return group.getNumSubgroups() == 1 && group.getSize(1) == 1;
}

/// Checks the tile of a work-item, and the grid of them.
static LogicalResult checkTile(Operation *op, const Strategy &strategy,
                               const WorkGroup &group) {
  if (failed(verifyEntries(op, {{"rows", strategy.rows},
                                {"columns", strategy.columns},
                                {"unroll", strategy.unroll},
                                {"adjacent", strategy.adjacent}})))
    return failure();
  int64_t items = group.getSize(0) * group.getSize(1);
  if (strategy.gridRows * strategy.gridColumns != items)
    return op->emitOpError("expected the strategy to have a grid of ")
           << items << " work-items, got " << strategy.gridRows << " x "
           << strategy.gridColumns;
  return success();
}

FailureOr<Strategy> tinytc::getStrategy(const Reduction &reduction,
                                        const WorkGroup &group) {
  linalg::GenericOp op = reduction.sum;
  FailureOr<Strategy> strategy =
      Strategy::get(op, {StrategyKind::WorkItems, StrategyKind::SharedOperand,
                         StrategyKind::SubgroupReduction, StrategyKind::SplitComplex});
  if (failed(strategy))
    return failure();
  if (strategy->kind == StrategyKind::SubgroupReduction) {
    if (!sumsAlongLines(op))
      return emitFormError(op, *strategy);
    if (failed(verifyEntries(op, {{"rows", strategy->rows},
                                  {"unroll", strategy->unroll},
                                  {"tail_unroll", strategy->tailUnroll},
                                  {"adjacent", strategy->adjacent}})))
      return failure();
    return strategy;
  }
  bool fits = op.getNumParallelLoops() <= 2 &&
              (strategy->rowMode == 0 ||
               (strategy->rowMode == 1 && op.getNumParallelLoops() == 2));
  if (strategy->kind == StrategyKind::SharedOperand)
    fits &= isSharedByRows(op, strategy->operand, strategy->rowMode);
  if (strategy->kind == StrategyKind::SplitComplex)
    fits &= isOneSubgroup(group) && group.getSize(0) % 2 == 0 &&
            findComplexRows(reduction) == strategy->operand;
  if (!fits)
    return emitFormError(op, *strategy);
  if (failed(checkTile(op, *strategy, group)))
    return failure();
  return strategy;
}

FailureOr<Strategy> tinytc::getStrategy(linalg::GenericOp op, const WorkGroup &group) {
  FailureOr<Strategy> strategy =
      Strategy::get(op, {StrategyKind::WorkItems, StrategyKind::Collapsed,
                         StrategyKind::LaneTranspose, StrategyKind::PairGather,
                         StrategyKind::VectorTranspose});
  if (failed(strategy) || strategy->kind == StrategyKind::WorkItems)
    return strategy;
  auto fits = [&] {
    switch (strategy->kind) {
    case StrategyKind::Collapsed:
      return group.getSize(1) == 1 && isInMemoryOrder(op);
    case StrategyKind::VectorTranspose:
      return isOneSubgroup(group) && isTransposedCopy(op);
    case StrategyKind::LaneTranspose:
      return isOneSubgroup(group) && llvm::isPowerOf2_64(group.getSize(0)) &&
             isTransposedInput(op, strategy->operand);
    default:
      return isOneSubgroup(group) && isTransposedInput(op, strategy->operand);
    }
  };
  if (!fits())
    return emitFormError(op, *strategy);
  return strategy;
}

FailureOr<Strategy> tinytc::getStrategy(scf::ForallOp op, const WorkGroup &group) {
  FailureOr<Strategy> strategy =
      Strategy::get(op, {StrategyKind::WorkItems, StrategyKind::LineWalks});
  if (failed(strategy) || strategy->kind == StrategyKind::WorkItems)
    return strategy;
  if (!getLoopOverLine(op))
    return emitFormError(op, *strategy);
  if (failed(verifyPositive(op, "rows", strategy->rows)))
    return failure();
  return strategy;
}
