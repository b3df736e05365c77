//===- BlockedOperand.cpp - Matrices that are read by blocks ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/BlockedOperand.h"
#include "lib/Builders/Indices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Rules of the messages: a multiple for the address and for the distance of columns,
/// and bounds of the length, the distance and the number of columns. Two columns are
/// one where work-items get neighbouring ones.
static constexpr int64_t kBaseBytes = 64, kPitchBytes = 16;
static constexpr int64_t kMinBlockWidthBytes = 64, kMaxPitchBytes = 1 << 23;
static constexpr int64_t kMaxColumns = 1 << 24;

bool BlockedOperand::mayReadBlocks() const {
  MemRefType type = getType();
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t bytes = getSizeBytes(type.getElementType());
  auto isMultiple = [&](int64_t count, int64_t divisor) {
    return ShapedType::isDynamic(count) || count * bytes % divisor == 0;
  };
  int64_t rows = type.getShape()[0];
  bool isWide = ShapedType::isDynamic(rows) || rows * bytes >= kMinBlockWidthBytes;
  return !type.getMemorySpace() && strides[0] == 1 && isWide && isMultiple(rows, 4) &&
         isMultiple(strides[1], kPitchBytes);
}

Value BlockedOperand::prepareBlocks(ImplicitLocOpBuilder &builder) {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  base = metadata.getBaseBuffer();
  offset = metadata.getOffset();
  stride = metadata.getStrides()[1];
  int64_t bytes = getSizeBytes(getType().getElementType());
  auto scale = [&](Value count) -> Value {
    return arith::MulIOp::create(builder, count, createIndex(builder, bytes));
  };
  auto isMultiple = [&](Value value, int64_t divisor) -> Value {
    Value bits =
        arith::AndIOp::create(builder, value, createIndex(builder, divisor - 1));
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, bits,
                                 createIndex(builder, 0));
  };
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, memref);
  address = arith::AddIOp::create(builder, address, scale(offset));
  Value condition = isMultiple(address, kBaseBytes);
  auto add = [&](Value other) {
    condition = arith::AndIOp::create(builder, condition, other);
  };
  add(isMultiple(scale(stride), kPitchBytes));
  Value rows = scale(toValue(builder, sizes[0]));
  add(isMultiple(rows, 4));
  add(arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, rows,
                            createIndex(builder, kMinBlockWidthBytes)));
  add(arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, scale(stride),
                            createIndex(builder, kMaxPitchBytes)));
  Value columns = toValue(builder, sizes[1]);
  add(arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, columns,
                            createIndex(builder, kMaxColumns)));
  if (transposed && bytes == 1) // or there may be no pair
    add(arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, columns,
                              createIndex(builder, 2)));
  return condition;
}

SmallVector<Value> BlockedOperand::loadBlock(ImplicitLocOpBuilder &builder, Value row,
                                             Value column, int64_t count) const {
  Type type = getType().getElementType();
  if (type.isF32() && !transposed)
    type = builder.getI16Type();
  SmallVector<Type> types(count, type);
  auto block = SubgroupBlockLoadOp::create(
      builder, types, base, offset, toValue(builder, sizes[0]),
      toValue(builder, sizes[1]), stride, transposed ? column : row,
      transposed ? row : column, transposed);
  return block.getResults();
}

SmallVector<Value> BlockedOperand::loadPairs(ImplicitLocOpBuilder &builder, Value row,
                                             Value column, int64_t count,
                                             bool isEven) const {
  if (!transposed)
    return loadBlock(builder, row, column, 2 * count);
  // The matrix whose columns are two of this one, the second at its distance: a lane
  // gets both by a block of each half.
  Value one = createIndex(builder, 1), odd = createIndex(builder, 0);
  if (!isEven)
    odd = arith::AndIOp::create(builder, row, one);
  Value first = arith::ShRSIOp::create(builder, row, one);
  Value twice = arith::AddIOp::create(builder, stride, stride);
  SmallVector<Value> pairs(2 * count);
  for (int64_t parity : {0, 1}) {
    // Where the row is odd, the halves are exchanged, and the first one begins later.
    Value half = odd, place = first;
    if (parity == 1) {
      half = arith::SubIOp::create(builder, one, odd);
      place = createIndexAdd(builder, first, odd);
    }
    Value distance = arith::MulIOp::create(builder, stride, half);
    Value length = createIndexAdd(builder, sizes[0], distance);
    Value rest = arith::SubIOp::create(builder, toValue(builder, sizes[1]), half);
    rest = arith::AddIOp::create(builder, rest, one);
    rest = arith::ShRSIOp::create(builder, rest, one);
    SmallVector<Type> types(count, getType().getElementType());
    auto block = SubgroupBlockLoadOp::create(
        builder, types, base, offset, length, rest, twice,
        createIndexAdd(builder, column, distance), place, /*transposed=*/true);
    for (auto [i, element] : llvm::enumerate(block.getResults()))
      pairs[2 * i + parity] = element;
  }
  return pairs;
}
