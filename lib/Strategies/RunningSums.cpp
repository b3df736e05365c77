//===- RunningSums.cpp - Running sums -------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Strategies/Choose.h"

using namespace mlir;
using namespace mlir::tinytc;

Strategy tinytc::chooseStrategy(CumsumOp op, const Launch &launch) {
  // Elements along the first mode are contiguous: lanes read them together.
  if (op.getMode() == 0)
    return {StrategyKind::Scan};
  Strategy strategy{StrategyKind::LineWalks};
  strategy.rows = launch.machine.maxLinesPerWorkItem;
  return strategy;
}
