//===- StagedProduct.cpp - Products with stages in local memory -----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/StagedProduct.h"
#include "dialect/Scalars.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Elements that are copied at once, and begin at a multiple of as many bytes wherever
/// a line or a tile begins: as many as possible, or one.
static int64_t countAtOnce(MemrefType matrix, int64_t bytes, int64_t elementBytes) {
  int64_t length = matrix.getShape()[0], distance = matrix.getStride()[1];
  bool isKnown = !ShapedType::isDynamic(length) && !ShapedType::isDynamic(distance);
  int64_t elements = bytes / elementBytes;
  return isKnown && length % elements == 0 && distance % elements == 0 ? elements : 1;
}

/// Chooses the places of lines so that lanes use different banks. Lanes of
/// multiply-adds read 16 bytes of one line, or of lines next to each other. Of
/// fragments of f64, groups of four lanes read 64 bytes of a line: two lines along the
/// summed mode, two steps along the other one.
static void chooseStride(StagedFactor &factor, int64_t elementBytes) {
  static constexpr int64_t kPadBytes = 16, kGroupBytes = 64, kBankBytes = 128;
  bool isForUnit = elementBytes == 8;
  int64_t length = factor.getLineLength();
  factor.exchanged = 0;
  factor.stride = length;
  if (isForUnit && !factor.isAlongSize) {
    if (length * elementBytes % kBankBytes == 0)
      factor.exchanged = kGroupBytes / elementBytes;
    return;
  }
  if (isForUnit != factor.isAlongSize)
    return;
  factor.stride += kPadBytes / elementBytes;
}

std::optional<StagedProduct> StagedProduct::match(GemmOp op, const Machine &machine,
                                                  const Strategy &strategy) {
  auto a = cast<MemrefType>(op.getA().getType());
  auto b = cast<MemrefType>(op.getB().getType());
  auto c = cast<MemrefType>(op.getC().getType());
  Type type = c.getElementType();
  bool hasType = type.isF32() || (type.isF64() && machine.unit.doubleSpeed > 0);
  if (!hasType || machine.asyncCopies.mostBytes == 0)
    return std::nullopt;
  for (MemrefType factor : {a, b})
    if (factor.getElementType() != type || factor.isLocal() ||
        factor.getStride()[0] != 1)
      return std::nullopt;
  int64_t steps = strategy.unroll, bytes = getSizeBytes(type);
  int64_t partRows = getPartRows(type), partColumns = getPartColumns(type);
  if (strategy.stages < 2 || steps <= 0 || steps % 8 != 0 || strategy.gridRows <= 0 ||
      strategy.gridColumns <= 0 || strategy.rows != strategy.gridRows * partRows ||
      strategy.columns != strategy.gridColumns * partColumns)
    return std::nullopt;
  StagedProduct product{type,           {}, {}, strategy.gridRows, strategy.gridColumns,
                        strategy.stages};
  auto setFactor = [&](StagedFactor &factor, MemrefType matrix, int64_t size,
                       bool isAlongSize) {
    factor.size = size;
    factor.steps = steps;
    factor.isAlongSize = isAlongSize;
    factor.atOnce = countAtOnce(matrix, machine.asyncCopies.mostBytes, bytes);
    chooseStride(factor, bytes);
  };
  setFactor(product.a, a, strategy.rows, !isTransposed(op.getTransposeA()));
  setFactor(product.b, b, strategy.columns, isTransposed(op.getTransposeB()));
  return product;
}

int64_t StagedProduct::getStageBytes() const {
  return getStageElements() * getSizeBytes(type);
}
