//===- RunningSums.cpp - Running sums -------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Strategies/Choose.h"

using namespace mlir;
using namespace mlir::tinytc;

Strategy tinytc::chooseStrategy(CumsumOp op, const Launch &) {
  // Elements along the first mode are contiguous: lanes read them together.
  return {op.getMode() == 0 ? StrategyKind::Scan : StrategyKind::LineWalks};
}
