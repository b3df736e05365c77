//===- ControlFlowOps.cpp - Loops and branches ----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult ForOp::verify() {
  // for_c1
  for (Value value : {getUpper(), getStep()})
    if (value.getType() != getLower().getType())
      return emitOpError() << "expected bounds and step of type "
                           << getLower().getType() << ", got " << value.getType();
  return verifyLeavingTypes(*this, getResultTypes(), "the initial values", // for_c2
                            getInit().getTypes());
}

LogicalResult ForOp::verifyRegions() {
  // for_c3
  SmallVector<Type> expected{getLower().getType()};
  llvm::append_range(expected, getInit().getTypes());
  return verifyLeavingTypes(*this, getBody().getArgumentTypes(),
                            "the number and the carried values", expected);
}

LogicalResult LoopOp::verifyRegions() {
  return verifyLeavingTypes(*this, getBody().getArgumentTypes(), // loop_c1
                            "the carried values", getInit().getTypes());
}

LogicalResult IfOp::verifyRegions() {
  // if_c1
  if (getNumResults() != 0 && getElseBody().empty())
    return emitOpError() << "expected an else body for " << getNumResults()
                         << " results, got none";
  return success();
}

/// The innermost loop around `op`, with only branches between; else null.
static Operation *getLoop(Operation *op) {
  Operation *parent = op->getParentOp();
  while (isa_and_nonnull<IfOp>(parent))
    parent = parent->getParentOp();
  return isa_and_nonnull<ForOp, LoopOp>(parent) ? parent : nullptr;
}

LogicalResult ContinueOp::verify() {
  // continue_c1
  Operation *loop = getLoop(*this);
  if (!loop)
    return emitOpError() << "expected a loop around it, got none";
  // continue_c2
  TypeRange carried = isa<ForOp>(loop) ? TypeRange(cast<ForOp>(loop).getInit())
                                       : TypeRange(cast<LoopOp>(loop).getInit());
  return verifyLeavingTypes(*this, getOperands().getTypes(), "the carried values",
                            carried);
}

LogicalResult BreakOp::verify() {
  // break_c1
  Operation *loop = getLoop(*this);
  if (!loop || !isa<LoopOp>(loop))
    return emitOpError() << "expected tile.loop as the innermost loop, got "
                         << (loop ? loop->getName().getStringRef() : "none");
  return verifyLeavingTypes(*this, getOperands().getTypes(),
                            "the loop's results", // break_c2
                            loop->getResultTypes());
}
