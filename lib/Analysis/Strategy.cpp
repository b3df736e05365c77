//===- Strategy.cpp - How an instruction is computed ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Strategy.h"
#include "dialect/DiscardableAttrs.h"

using namespace mlir;
using namespace mlir::tinytc;

using StrategyHelper = TinyTCDialect::StrategyAttrHelper;

std::optional<Strategy> Strategy::find(Operation *op) {
  StrategyAttr attr = getDiscardable<StrategyHelper>(op);
  if (!attr)
    return std::nullopt;
  return Strategy{
      attr.getKind(),        attr.getRows(),           attr.getColumns(),
      attr.getUnroll(),      attr.getGridRows(),       attr.getGridColumns(),
      attr.getElementRows(), attr.getElementColumns(), attr.getLocalBytes()};
}

void Strategy::setOn(Operation *op) const {
  MLIRContext *context = op->getContext();
  setDiscardable<StrategyHelper>(
      op, StrategyAttr::get(context, kind, rows, columns, unroll, gridRows, gridColumns,
                            elementRows, elementColumns, localBytes));
}

bool tinytc::hasStrategy(Operation *op, ArrayRef<StrategyKind> kinds) {
  StrategyAttr attr = getDiscardable<StrategyHelper>(op);
  return attr && llvm::is_contained(kinds, attr.getKind());
}
