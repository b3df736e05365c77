//===- LocalCopies.cpp - Factors that are copied into local memory --------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "lib/Strategies/Products.h"

using namespace mlir;
using namespace mlir::tinytc;

bool tinytc::collidesInCache(MemrefType type, const Machine &machine) {
  int64_t stride = type.getStride()[1];
  return !ShapedType::isDynamic(stride) &&
         machine.cache.collides(type.getShape()[1],
                                stride * getSizeBytes(type.getElementType()));
}

/// Whether A is read again so often that a copy pays.
static bool paysToCopyA(GemmOp op, const Machine &machine) {
  auto a = cast<MemrefType>(op.getA().getType());
  auto c = cast<MemrefType>(op.getC().getType());
  if (!a.hasStaticShape() || c.isDynamicSize(1))
    return false;
  int64_t columns = c.getShape()[1];
  if (op.getTransposeA() == Transpose::T)
    return columns >= machine.costs.minTransposedColumns;
  return columns >= machine.costs.minPackedColumns && collidesInCache(a, machine);
}

/// Whether elements of B are of 16 bits, and the type of C is that of the sums.
static bool paysToCopyB(GemmOp op, const Machine &machine) {
  auto b = cast<MemrefType>(op.getB().getType());
  Type sum = cast<MemrefType>(op.getC().getType()).getElementType();
  return machine.vectors.convertsSingleElements && b.hasStaticShape() &&
         isHalf(b.getElementType()) && isa<FloatType>(sum) && !isHalf(sum);
}

std::optional<Strategy> tinytc::chooseLocalCopies(GemmOp op, const Machine &machine) {
  Strategy strategy{StrategyKind::LocalCopies};
  strategy.copiesA = paysToCopyA(op, machine);
  strategy.copiesB = paysToCopyB(op, machine);
  if (!strategy.copiesA && !strategy.copiesB)
    return std::nullopt;
  return strategy;
}
