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

static std::optional<DotProduct> matchWords(GemmOp op, const DotProducts &dots) {
  auto a = cast<MemrefType>(op.getA().getType()),
       b = cast<MemrefType>(op.getB().getType()),
       c = cast<MemrefType>(op.getC().getType());
  std::optional<PackedNumbers> numbers = findNumbers(
      a.getElementType(), b.getElementType(), getComputeType(c.getElementType()), dots);
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

std::optional<DotProduct> DotProduct::match(GemmOp op, const Machine &machine) {
  return matchWords(op, machine.vectors.dots);
}

std::optional<DotProduct> DotProduct::matchTiles(GemmOp op, const Machine &machine) {
  if (!machine.tiles.areThere())
    return std::nullopt;
  DotProducts ofTiles;
  ofTiles.ofI8 = ofTiles.ofBF16 = true;
  return matchWords(op, ofTiles);
}

/// Whether the elements of C are sums as tiles hold them, those of a column adjacent,
/// and nothing scales them.
static bool holdsSums(GemmOp op) {
  auto c = cast<MemrefType>(op.getC().getType());
  bool isSum = c.getElementType().isF32() || c.getElementType().isInteger(32);
  return isSum && c.getStride()[0] == 1 && !op.getAtomic() &&
         isConstant(op.getAlpha(), 1);
}

std::optional<DotProduct> DotProduct::matchTiles(GemmOp op, const Machine &machine,
                                                 TileShape tile) {
  std::optional<DotProduct> product = matchTiles(op, machine);
  if (!product)
    return std::nullopt;
  product->tile = tile;
  // Where tiles overlap, the later one would add to C again.
  bool addsUp = isConstant(op.getBeta(), 1) && product->rows % tile.rows == 0 &&
                product->columns % tile.columns == 0;
  product->hasSumsOfTiles = !holdsSums(op) || product->rows < tile.rows ||
                            product->columns < tile.columns ||
                            !(addsUp || isConstant(op.getBeta(), 0));
  product->accumulates = addsUp && !product->hasSumsOfTiles;
  return product;
}

int64_t DotProduct::getSteps() const {
  return llvm::alignTo(llvm::divideCeil(summed, getDepth()), tile ? tile->words : 1);
}

static int64_t alignToLine(int64_t words) {
  return llvm::alignTo(words, kAllocaAlignment / kWordBytes);
}

int64_t DotProduct::getStride() const { return alignToLine(getPackedRows()); }

int64_t DotProduct::getColumnStride() const {
  return tile ? alignToLine(getSteps()) : getSteps();
}

int64_t DotProduct::getPackedRows() const {
  return tile ? std::max(rows, tile->rows) : rows;
}

int64_t DotProduct::getPackedColumns() const {
  return tile ? std::max(columns, tile->columns) : columns;
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

LocalRange DotProduct::getB() const {
  return getWords(getA(), getPackedColumns() * getColumnStride());
}

LocalRange DotProduct::getReadA() const {
  return getWords(getB(), isAlongA ? rows * getSteps() : 0);
}

LocalRange DotProduct::getReadB() const {
  return getWords(getReadA(), tile && !isAlongB ? columns * getSteps() : 0);
}

LocalRange DotProduct::getSums() const {
  return getWords(getReadB(), numbers == PackedNumbers::UI8 ? rows : 0);
}

LocalRange DotProduct::getSumsOfTiles() const {
  return getWords(getSums(), hasSumsOfTiles ? getStride() * getPackedColumns() : 0);
}

int64_t DotProduct::getBytes() const {
  LocalRange last = getSumsOfTiles();
  return last.offset + last.bytes;
}
