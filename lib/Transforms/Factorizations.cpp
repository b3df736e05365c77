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

Value Expander::squaredModulus(Value x) {
  auto type = dyn_cast<ComplexType>(x.getType());
  Value re = realPart(x), square = ArithMulOp::create(b, re, re);
  if (!type)
    return square;
  Value im = ArithImOp::create(b, type.getElementType(), x);
  return ArithAddOp::create(b, square, ArithMulOp::create(b, im, im));
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

void Expander::subtractProduct(MatrixForm x, MatrixForm y, MatrixForm z) {
  if (z.isTransposed) {
    std::swap(x, y);
    x = x.transpose();
    y = y.transpose();
  }
  if (z.isConjugated) {
    x = x.conjugate();
    y = y.conjugate();
  }
  Type type = getElementType(z.memref);
  GemmOp::create(b, x.getForm(), y.getForm(), /*atomic=*/false, number(type, -1),
                 x.memref, y.memref, number(type, 1), z.memref);
}

void Expander::requireEqual(Extent x, Extent y, StringRef text) {
  if (x == y || (getConstantIntValue(x) && getConstantIntValue(y)))
    return; // the verifier has compared them
  Value isEqual = CmpEqOp::create(b, b.getI1Type(), value(x), value(y));
  AssertOp::create(b, isEqual, text);
}

MatrixForm Expander::asMatrix(Value memref) {
  auto type = cast<MemrefType>(memref.getType());
  if (type.getOrder() == 2)
    return {memref};
  int64_t shape[] = {type.getShape()[0], 1};
  SmallVector<Value> sizes;
  if (type.isDynamicSize(0))
    sizes.push_back(createSize(b, memref, 0));
  Type result = ExpandOp::inferResultType(b.getLoc(), type, 0, shape);
  return {ExpandOp::create(b, result, memref, 0, shape, sizes)};
}
