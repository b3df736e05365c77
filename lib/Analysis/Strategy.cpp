//===- Strategy.cpp - How an instruction is computed ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Strategy.h"
#include "dialect/DiscardableAttrs.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

using StrategyHelper = TinyTCDialect::StrategyAttrHelper;

std::optional<Strategy> Strategy::find(Operation *op) {
  StrategyAttr attr = getDiscardable<StrategyHelper>(op);
  if (!attr)
    return std::nullopt;
  Strategy strategy{attr.getKind()};
  strategy.rows = attr.getRows();
  strategy.columns = attr.getColumns();
  strategy.unroll = attr.getUnroll();
  strategy.gridRows = attr.getGridRows();
  strategy.gridColumns = attr.getGridColumns();
  strategy.elementRows = attr.getElementRows();
  strategy.elementColumns = attr.getElementColumns();
  strategy.localBytes = attr.getLocalBytes();
  strategy.stages = attr.getStages();
  strategy.tailUnroll = attr.getTailUnroll();
  strategy.adjacent = attr.getAdjacent();
  strategy.operand = attr.getOperand();
  strategy.rowMode = attr.getRowMode();
  strategy.sharesColumns = attr.getSharesColumns();
  strategy.columnsOutside = attr.getColumnsOutside();
  strategy.prefetch = attr.getPrefetch();
  strategy.copiesA = attr.getCopiesA();
  strategy.copiesB = attr.getCopiesB();
  if (DenseI64ArrayAttr tile = attr.getTile())
    strategy.tile = llvm::to_vector(tile.asArrayRef());
  return strategy;
}

FailureOr<Strategy> Strategy::get(Operation *op, ArrayRef<StrategyKind> kinds) {
  std::optional<Strategy> strategy = find(op);
  if (!strategy)
    return op->emitOpError("expected a strategy, got none: run "
                           "tinytc-choose-strategies first");
  if (failed(verifyKind(op, *strategy, kinds)))
    return failure();
  return *strategy;
}

void Strategy::setOn(Operation *op) const {
  MLIRContext *context = op->getContext();
  auto sizes =
      tile.empty() ? DenseI64ArrayAttr() : DenseI64ArrayAttr::get(context, tile);
  setDiscardable<StrategyHelper>(
      op, StrategyAttr::get(context, kind, rows, columns, unroll, gridRows, gridColumns,
                            elementRows, elementColumns, localBytes, stages, tailUnroll,
                            adjacent, operand, rowMode, sharesColumns, columnsOutside,
                            prefetch, copiesA, copiesB, sizes));
}

LogicalResult tinytc::verifyKind(Operation *op, const Strategy &strategy,
                                 ArrayRef<StrategyKind> kinds) {
  if (llvm::is_contained(kinds, strategy.kind))
    return success();
  SmallVector<StringRef> names = llvm::map_to_vector(
      kinds, [](StrategyKind kind) { return stringifyStrategyKind(kind); });
  return op->emitOpError("expected a strategy of ")
         << llvm::join(names, ", ") << ", got " << stringifyStrategyKind(strategy.kind);
}

LogicalResult tinytc::verifyPositive(Operation *op, StringRef name, int64_t value) {
  if (value > 0)
    return success();
  return op->emitOpError("expected the strategy to have a positive '")
         << name << "', got " << value;
}

LogicalResult tinytc::emitFormError(Operation *op, const Strategy &strategy) {
  return op->emitOpError("expected a strategy for an op of this form, in this "
                         "work-group, got ")
         << stringifyStrategyKind(strategy.kind);
}

LogicalResult tinytc::emitLocalBytesError(Operation *op, const Strategy &strategy,
                                          int64_t bytes, StringRef user) {
  return op->emitOpError("expected the strategy to have the ")
         << bytes << " bytes of local memory that " << user << ", got "
         << strategy.localBytes;
}

bool tinytc::hasStrategy(Operation *op, ArrayRef<StrategyKind> kinds) {
  StrategyAttr attr = getDiscardable<StrategyHelper>(op);
  return attr && llvm::is_contained(kinds, attr.getKind());
}
