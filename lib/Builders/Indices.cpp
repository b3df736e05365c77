//===- Indices.cpp - Arithmetic on indices, folded ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/Indices.h"
#include "lib/Analysis/Divisibility.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::toValue(ImplicitLocOpBuilder &builder, OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), index);
}

SmallVector<OpFoldResult> tinytc::foldConstants(ArrayRef<OpFoldResult> indices) {
  return llvm::map_to_vector(indices, [](OpFoldResult index) {
    auto value = dyn_cast<Value>(index);
    return value ? getAsOpFoldResult(value) : index;
  });
}

Value tinytc::createIndex(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value tinytc::createI32(ImplicitLocOpBuilder &builder, int32_t value) {
  return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
}

Value tinytc::createIsBelow(ImplicitLocOpBuilder &builder, Value index,
                            OpFoldResult upper) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, index,
                               toValue(builder, upper));
}

Value tinytc::createIndexAdd(ImplicitLocOpBuilder &builder, OpFoldResult a,
                             OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  int64_t sum;
  if (x && y && !llvm::AddOverflow(*x, *y, sum))
    return createIndex(builder, sum);
  if (x == 0)
    return toValue(builder, b);
  if (y == 0)
    return toValue(builder, a);
  return arith::AddIOp::create(builder, toValue(builder, a), toValue(builder, b));
}

Value tinytc::createIndexMin(ImplicitLocOpBuilder &builder, Value a, Value b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  if (x && y)
    return *x < *y ? a : b;
  // The CPU driver assumes that the result of OpenCL's minimum differs between
  // work-items.
  return arith::SelectOp::create(builder, createIsBelow(builder, a, b), a, b);
}

OpFoldResult tinytc::createIndexMul(ImplicitLocOpBuilder &builder, OpFoldResult a,
                                    OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  // A list of sizes would take the smallest integer for a value.
  int64_t product;
  if (x && y && !llvm::MulOverflow(*x, *y, product) && !ShapedType::isDynamic(product))
    return builder.getIndexAttr(product);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return arith::MulIOp::create(builder, toValue(builder, a), toValue(builder, b))
      .getResult();
}

bool tinytc::isEmptyRange(OpFoldResult lower, OpFoldResult upper) {
  std::optional<int64_t> begin = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  return lower == upper || (begin && end && *begin >= *end);
}

OpFoldResult tinytc::roundDown(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                               int64_t step) {
  if (getDivisor(extent) % step == 0)
    return extent;
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return builder.getIndexAttr(*known / step * step);
  Value count = arith::DivSIOp::create(builder, toValue(builder, extent),
                                       createIndex(builder, step));
  return createIndexMul(builder, count, builder.getIndexAttr(step));
}

SmallVector<Value> tinytc::createAdjacent(ImplicitLocOpBuilder &builder, Value first,
                                          int64_t count) {
  SmallVector<Value> indices;
  for (int64_t i = 0; i < count; ++i)
    indices.push_back(createIndexAdd(builder, first, builder.getIndexAttr(i)));
  return indices;
}
