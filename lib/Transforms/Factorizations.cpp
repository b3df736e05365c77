//===- Factorizations.cpp - What makes factorisations and products --------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Transforms/Factorizations.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::instructions;

Extent Expander::sizeOf(Value memref, int64_t mode) {
  int64_t size = cast<MemrefType>(memref.getType()).getShape()[mode];
  return ShapedType::isDynamic(size) ? Extent(createSize(b, memref, mode))
                                     : known(size);
}

MatrixForm Expander::block(const MatrixForm &x, Extent i, Extent j, Extent rows,
                           Extent columns) {
  SmallVector<OpFoldResult, 2> offsets = {i, j}, sizes = {rows, columns};
  if (x.isTransposed) {
    std::swap(offsets[0], offsets[1]);
    std::swap(sizes[0], sizes[1]);
  }
  return {createBlock(b, x.memref, offsets, sizes), x.isTransposed, x.isConjugated};
}

Value Expander::loadWhere(Value condition, const MatrixForm &x, Value i, Value j) {
  Type type = getElementType(x.memref);
  auto branch = IfOp::create(b, TypeRange(type), condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch->getRegion(0).emplaceBlock());
  YieldOp::create(b, load(x, i, j));
  b.setInsertionPointToStart(&branch->getRegion(1).emplaceBlock());
  YieldOp::create(b, number(type, 0));
  return branch->getResult(0);
}

Value Expander::squaredModulus(Value x) {
  auto type = dyn_cast<ComplexType>(x.getType());
  Value re = realPart(x), square = ArithMulOp::create(b, re, re);
  if (!type)
    return square;
  Value im = ArithImOp::create(b, type.getElementType(), x);
  return ArithAddOp::create(b, square, ArithMulOp::create(b, im, im));
}

std::pair<Value, Value> Expander::powersOfTwo(Value largest) {
  Type real = largest.getType();
  bool isSingle = real.isF32();
  auto choose = [&](Value isIt, double exponent, Value other) -> Value {
    return SelectOp::create(b, isIt, number(real, std::exp2(exponent)), other);
  };
  // Squares of numbers up to the limit, and sums of many, are finite, and those of the
  // largest ones from the other limit on, and what is as large as their rounding
  // errors, are normal numbers; so are those of all numbers that are multiplied.
  int large = isSingle ? 50 : 500, small = isSingle ? -40 : -450;
  int down = isSingle ? -80 : -600, up = isSingle ? 90 : 600;
  Value isLarge =
      CmpGtOp::create(b, b.getI1Type(), largest, number(real, std::exp2(large)));
  Value isSmall =
      CmpLtOp::create(b, b.getI1Type(), largest, number(real, std::exp2(small)));
  Value one = number(real, 1);
  return {choose(isLarge, down, choose(isSmall, up, one)),
          choose(isLarge, -down, choose(isSmall, -up, one))};
}

MatrixForm Expander::createLocalBlock(Type element, Extent rows, Extent columns) {
  auto size = [](Extent extent) {
    return std::min(getConstantIntValue(extent).value_or(kBlock), kBlock);
  };
  return {createLocal(b, {size(rows), size(columns)}, element)};
}

void Expander::forBlocks(Extent size, bool isBackward,
                         function_ref<void(Extent, Extent)> body, int64_t most) {
  std::optional<int64_t> whole = getConstantIntValue(size);
  if (whole && *whole <= kMaxWrittenOut * kBlock) {
    int64_t count = llvm::divideCeil(*whole, kBlock);
    for (int64_t n : llvm::seq(count)) {
      int64_t offset = kBlock * (isBackward ? count - 1 - n : n);
      body(known(offset), known(std::min(kBlock, *whole - offset)));
    }
    return;
  }
  Value width = createIndex(b, kBlock);
  Value count = ArithDivOp::create(b, value(size), width);
  Value end = ArithMulOp::create(b, count, width);
  Extent rest = whole ? known(*whole % kBlock)
                      : Extent(ArithSubOp::create(b, value(size), end).getResult());
  if (most < kBlock)
    return body(end, rest);
  if (isBackward && !isNone(rest))
    body(end, rest);
  loop(createIndex(b, 0), count, [&](Value n) {
    Value offset = ArithMulOp::create(b, n, width);
    if (isBackward)
      offset = ArithSubOp::create(b, ArithSubOp::create(b, end, width), offset);
    body(offset, known(kBlock));
  });
  if (!isBackward && !isNone(rest))
    body(end, rest);
}

Value Expander::stridedLoop(Value from, Value to, Value step, ValueRange inits,
                            function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = ForOp::create(b, from, to, step, inits, Attribute());
  OpBuilder::InsertionGuard guard(b);
  Block &block = loop.getBody().emplaceBlock();
  Value i = block.addArgument(from.getType(), b.getLoc());
  block.addArguments(inits.getTypes(), SmallVector<Location>(inits.size(), b.getLoc()));
  b.setInsertionPointToStart(&block);
  YieldOp::create(b, body(i, block.getArguments().drop_front()));
  return inits.empty() ? Value() : loop.getResult(0);
}

void Expander::requireEqual(Extent x, Extent y, StringRef text) {
  if (x == y || (getConstantIntValue(x) && getConstantIntValue(y)))
    return; // the verifier has compared them
  Value isEqual = CmpEqOp::create(b, b.getI1Type(), value(x), value(y));
  AssertOp::create(b, isEqual, text);
}
