//===- Indices.cpp - Arithmetic on indices, folded ------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Analysis/Divisibility.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::toValue(OpBuilder &builder, Location loc, OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, loc, index);
}

Value tinytc::createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value tinytc::createIsBelow(OpBuilder &builder, Location loc, Value index,
                            OpFoldResult upper) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index,
                               toValue(builder, loc, upper));
}

Value tinytc::createIndexAdd(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  if (x && y)
    return createIndex(builder, loc, *x + *y);
  if (x == 0)
    return toValue(builder, loc, b);
  if (y == 0)
    return toValue(builder, loc, a);
  return arith::AddIOp::create(builder, loc, toValue(builder, loc, a),
                               toValue(builder, loc, b));
}

Value tinytc::createIndexMin(OpBuilder &builder, Location loc, Value a, Value b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  if (x && y)
    return *x < *y ? a : b;
  // The CPU driver assumes that the result of OpenCL's minimum differs between
  // work-items.
  return arith::SelectOp::create(builder, loc, createIsBelow(builder, loc, a, b), a, b);
}

OpFoldResult tinytc::createIndexMul(OpBuilder &builder, Location loc, OpFoldResult a,
                                    int64_t b) {
  if (std::optional<int64_t> known = getConstantIntValue(a))
    return builder.getIndexAttr(*known * b);
  return arith::MulIOp::create(builder, loc, toValue(builder, loc, a),
                               createIndex(builder, loc, b))
      .getResult();
}

bool tinytc::isEmptyRange(OpFoldResult lower, OpFoldResult upper) {
  std::optional<int64_t> begin = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  return lower == upper || (begin && end && *begin >= *end);
}

OpFoldResult tinytc::roundDown(OpBuilder &builder, Location loc, OpFoldResult extent,
                               int64_t step) {
  if (getDivisor(extent) % step == 0)
    return extent;
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return builder.getIndexAttr(*known / step * step);
  Value count = arith::DivSIOp::create(builder, loc, toValue(builder, loc, extent),
                                       createIndex(builder, loc, step));
  return createIndexMul(builder, loc, count, step);
}

SmallVector<Value> tinytc::createAdjacent(OpBuilder &builder, Location loc, Value first,
                                          int64_t count) {
  SmallVector<Value> indices;
  for (int64_t i = 0; i < count; ++i)
    indices.push_back(createIndexAdd(builder, loc, first, builder.getIndexAttr(i)));
  return indices;
}
