//===- Elementwise.cpp - Element-wise ops and parallel loops --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Elementwise.h"
#include "dialect/TinyTC.h"
#include "lib/Analysis/Reduction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tinytc;

bool tinytc::isDistributed(Operation *op) {
  bool isWork =
      isa<scf::ForallOp>(op) || (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op));
  return isWork && !isUpdateOfReduction(op);
}

/// Whether the elements of a memref are contiguous; the last size may be dynamic.
static bool isContiguousMemref(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t expected = 1;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    if (ShapedType::isDynamic(expected) || stride != expected)
      return false;
    expected = ShapedType::isDynamic(size) ? size : expected * size;
  }
  return true;
}

bool tinytc::isInMemoryOrder(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 && op.getNumLoops() > 1 &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isContiguousMemref(cast<MemRefType>(operand.getType()));
         });
}

bool tinytc::isTransposedInput(linalg::GenericOp op, unsigned input) {
  if (op.getNumReductionLoops() > 0 || op.getNumLoops() != 2 ||
      input >= op.getNumDpsInputs())
    return false;
  auto type = dyn_cast<MemRefType>(op->getOperand(input).getType());
  AffineMap map = op.getIndexingMapsArray()[input];
  return type && map.isPermutation() && !map.isIdentity() &&
         type.getElementType().isIntOrFloat() &&
         type.getElementType().getIntOrFloatBitWidth() >= 32;
}

bool tinytc::isTransposedCopy(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || !isTransposedInput(op, 0))
    return false;
  Value input = op.getDpsInputs().front();
  auto source = cast<MemRefType>(input.getType());
  Block *body = op.getBody();
  return source.hasStaticShape() &&
         llvm::all_of(source.getShape(),
                      [](int64_t size) { return size >= kMinTransposedSquare; }) &&
         body->getTerminator()->getOperand(0) == body->getArgument(0) &&
         isFirstModeContiguous(input) &&
         isFirstModeContiguous(op.getDpsInits().front());
}

bool tinytc::isUnusedWrite(Operation *op) {
  return isa<memref::StoreOp, AtomicOp>(op) && op->use_empty();
}

scf::ForOp tinytc::getLoopOverLine(scf::ForallOp op) {
  auto constants = op.getBody()->without_terminator();
  scf::ForOp loop;
  for (Operation &nested : constants) {
    if (auto found = dyn_cast<scf::ForOp>(nested); found && !loop)
      loop = found;
    else if (loop || !nested.hasTrait<OpTrait::ConstantLike>())
      return {};
  }
  if (!loop || loop.getNumRegionIterArgs() == 0 || !loop->use_empty())
    return {};
  bool isSimple = llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return isa<memref::LoadOp>(op) || isUnusedWrite(&op) || isMemoryEffectFree(&op);
  });
  bool isSame = llvm::all_of(
      ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
      [&](Value bound) {
        return op.isDefinedOutsideOfLoop(bound) || matchPattern(bound, m_Constant());
      });
  bool startsAtZero = llvm::all_of(op.getMixedLowerBound(), isZeroInteger);
  return isSimple && isSame && startsAtZero ? loop : scf::ForOp();
}
