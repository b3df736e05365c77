//===- DotProduct.cpp - Products of packed factors ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/DotProduct.h"
#include "dialect/Scalars.h"

using namespace mlir;
using namespace mlir::tinytc;

static constexpr int64_t kWordBytes = 4;

/// The numbers that words hold of factors of these types for sums of type `sum`.
static std::optional<PackedNumbers> findNumbers(Type a, Type b, Type sum,
                                                const DotProducts &dots) {
  auto areBoth = [&](auto isOne) { return isOne(a) && isOne(b); };
  if (sum.isF32() && dots.ofBF16 && areBoth([](Type type) { return type.isBF16(); }))
    return PackedNumbers::BF16;
  if (!sum.isInteger(32))
    return std::nullopt;
  if (areBoth([](Type type) { return type.isInteger(8); })) {
    if (dots.ofI8)
      return PackedNumbers::I8;
    if (dots.ofUI8)
      return PackedNumbers::UI8;
  }
  auto fits = [](Type type) { return type.isInteger(8) || type.isInteger(16); };
  if (dots.ofI16 && areBoth(fits))
    return PackedNumbers::I16;
  return std::nullopt;
}

std::optional<DotProduct> DotProduct::match(GemmOp op, const Machine &machine) {
  auto a = cast<MemrefType>(op.getA().getType()),
       b = cast<MemrefType>(op.getB().getType()),
       c = cast<MemrefType>(op.getC().getType());
  std::optional<PackedNumbers> numbers =
      findNumbers(a.getElementType(), b.getElementType(),
                  getComputeType(c.getElementType()), machine.vectors.dots);
  if (!numbers || !a.hasStaticShape() || !b.hasStaticShape() || !c.hasStaticShape())
    return std::nullopt;
  bool isAlongA = isTransposed(op.getTransposeA());
  DotProduct product{*numbers,        c.getShape()[0],
                     c.getShape()[1], a.getShape()[isAlongA ? 0 : 1],
                     isAlongA,        !isTransposed(op.getTransposeB())};
  if (product.rows == 0 || product.columns == 0 || product.summed == 0)
    return std::nullopt;
  return product;
}

int64_t DotProduct::getSteps() const { return llvm::divideCeil(summed, getDepth()); }

int64_t DotProduct::getStride() const {
  return llvm::alignTo(rows, kAllocaAlignment / kWordBytes);
}

/// So many words from `offset` on.
static LocalRange getWords(int64_t offset, int64_t count) {
  return {offset, llvm::alignTo(count * kWordBytes, kAllocaAlignment)};
}

/// So many words after another range.
static LocalRange getWords(LocalRange before, int64_t count) {
  return getWords(before.offset + before.bytes, count);
}

LocalRange DotProduct::getA() const { return getWords(0, getStride() * getSteps()); }

LocalRange DotProduct::getB() const { return getWords(getA(), columns * getSteps()); }

LocalRange DotProduct::getReadA() const {
  return getWords(getB(), isAlongA ? rows * getSteps() : 0);
}

LocalRange DotProduct::getSums() const {
  return getWords(getReadA(), numbers == PackedNumbers::UI8 ? rows : 0);
}

int64_t DotProduct::getBytes() const {
  LocalRange last = getSums();
  return last.offset + last.bytes;
}
