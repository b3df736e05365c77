//===- Numbers.cpp - Arithmetic on numbers of the language ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/TinyTCToTile/Lowering.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;
using tile::ComparisonOrdering;
using tile::ComparisonPredicate;
using tile::Signedness;

Type tile_lowering::getTileElement(Type type) {
  Type real = getRealType(type);
  return real.isIndex() ? IntegerType::get(type.getContext(), 64) : real;
}

static bool isFloating(Value value) { return isa<FloatType>(getElement(value)); }

//===----------------------------------------------------------------------===//
// Constants and shapes
//===----------------------------------------------------------------------===//

Value Lowering::createConstant(Type element, Attribute value, ArrayRef<int64_t> shape) {
  auto tiles = cast<ShapedType>(Type(getTile(element, shape)));
  auto elements = cast<DenseIntOrFPElementsAttr>(DenseElementsAttr::get(tiles, value));
  return tile::ConstantOp::create(builder, elements);
}

Value Lowering::createConstant(Type element, int64_t number, ArrayRef<int64_t> shape) {
  Attribute value = isa<FloatType>(element)
                        ? Attribute(builder.getFloatAttr(element, number))
                        : Attribute(builder.getIntegerAttr(element, number));
  return createConstant(element, value, shape);
}

Value Lowering::reshape(Value value, ArrayRef<int64_t> shape) {
  if (cast<tile::TileType>(value.getType()).getShape() == shape)
    return value;
  return tile::ReshapeOp::create(builder, getTile(getElement(value), shape), value);
}

Value Lowering::broadcast(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<tile::TileType>(value.getType());
  if (type.getShape() == shape)
    return value;
  if (type.getShape().empty())
    value = reshape(value, SmallVector<int64_t>(shape.size(), 1));
  return tile::BroadcastOp::create(builder, getTile(type.getElementType(), shape),
                                   value);
}

Number Lowering::broadcast(Number number, ArrayRef<int64_t> shape) {
  return {broadcast(number.re, shape),
          number.isComplex() ? broadcast(number.im, shape) : Value()};
}

Value Lowering::toValue(OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  return createIndex(cast<IntegerAttr>(cast<Attribute>(size)).getInt());
}

OpFoldResult Lowering::add(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  int64_t sum;
  if (x && y && !llvm::AddOverflow(*x, *y, sum))
    return builder.getI64IntegerAttr(sum);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return addReal(toValue(a), toValue(b));
}

OpFoldResult Lowering::multiply(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  int64_t product;
  if (x && y && !llvm::MulOverflow(*x, *y, product))
    return builder.getI64IntegerAttr(product);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return mulReal(toValue(a), toValue(b));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value Lowering::convertReal(Value value, Type to) {
  Type from = getElement(value);
  if (from == to)
    return value;
  tile::TileType type = withElement(value, to);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (fromFloat && toFloat)
    return tile::FToFOp::create(builder, type, value);
  if (fromFloat)
    return tile::FToIOp::create(builder, type, value, Signedness::Signed);
  if (toFloat)
    return tile::IToFOp::create(builder, type, value, Signedness::Signed);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return tile::ExtIOp::create(builder, type, value, Signedness::Signed);
  return tile::TruncIOp::create(builder, type, value);
}

Number Lowering::convert(Number number, Type from, Type to) {
  Type element = getTileElement(to);
  Number result{convertReal(number.re, element), {}};
  if (number.isComplex())
    result.im = convertReal(number.im, element);
  else if (isa<ComplexType>(to))
    result.im = createConstant(element, 0, result.getType().getShape());
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Lowering::addReal(Value a, Value b) {
  if (isFloating(a))
    return tile::AddFOp::create(builder, a.getType(), a, b);
  return tile::AddIOp::create(builder, a.getType(), a, b);
}

Value Lowering::subReal(Value a, Value b) {
  if (isFloating(a))
    return tile::SubFOp::create(builder, a.getType(), a, b);
  return tile::SubIOp::create(builder, a.getType(), a, b);
}

Value Lowering::mulReal(Value a, Value b) {
  if (isFloating(a))
    return tile::MulFOp::create(builder, a.getType(), a, b);
  return tile::MulIOp::create(builder, a.getType(), a, b);
}

Value Lowering::minReal(Value a, Value b, bool keepsNaN) {
  if (isFloating(a))
    return tile::MinFOp::create(builder, a.getType(), a, b, keepsNaN);
  return tile::MinIOp::create(builder, a.getType(), a, b, Signedness::Signed);
}

Value Lowering::maxReal(Value a, Value b, bool keepsNaN) {
  if (isFloating(a))
    return tile::MaxFOp::create(builder, a.getType(), a, b, keepsNaN);
  return tile::MaxIOp::create(builder, a.getType(), a, b, Signedness::Signed);
}

Value Lowering::negReal(Value a) {
  if (isFloating(a))
    return tile::NegFOp::create(builder, a.getType(), a);
  return tile::NegIOp::create(builder, a.getType(), a);
}

Number Lowering::add(Number a, Number b) {
  return {addReal(a.re, b.re), a.isComplex() ? addReal(a.im, b.im) : Value()};
}

Number Lowering::mul(Number a, Number b) {
  if (!a.isComplex())
    return {mulReal(a.re, b.re), {}};
  Value re = subReal(mulReal(a.re, b.re), mulReal(a.im, b.im));
  Value im = addReal(mulReal(a.re, b.im), mulReal(a.im, b.re));
  return {re, im};
}

/// The division of complex numbers that only overflows if the quotient does: the larger
/// part of the divisor is divided out first.
Number Lowering::div(Number a, Number b) {
  auto quotient = [&](Value x, Value y) -> Value {
    if (isFloating(x))
      return tile::DivFOp::create(builder, x.getType(), x, y);
    return tile::DivIOp::create(builder, x.getType(), x, y, Signedness::Signed);
  };
  if (!a.isComplex())
    return {quotient(a.re, b.re), {}};
  auto magnitude = [&](Value x) -> Value {
    return tile::AbsFOp::create(builder, x.getType(), x);
  };
  Value isWide =
      compare(ComparisonPredicate::LessThan, magnitude(b.re), magnitude(b.im));
  auto choose = [&](Value yes, Value no) {
    return select(isWide, {yes, {}}, {no, {}}).re;
  };
  Value large = choose(b.im, b.re), small = choose(b.re, b.im);
  Value ratio = quotient(small, large);
  Value divisor = addReal(large, mulReal(small, ratio));
  // (x + iy) / (large (1 + ratio^2)), with the parts of b in the other order.
  Value re =
      addReal(choose(mulReal(a.re, ratio), a.re), choose(a.im, mulReal(a.im, ratio)));
  Value im =
      subReal(choose(mulReal(a.im, ratio), a.im), choose(a.re, mulReal(a.re, ratio)));
  return {quotient(re, divisor), quotient(im, divisor)};
}

Value Lowering::compare(ComparisonPredicate predicate, Value a, Value b) {
  tile::TileType type = withElement(a, builder.getI1Type());
  if (!isFloating(a))
    return tile::CmpIOp::create(builder, type, predicate, a, b, Signedness::Signed);
  auto ordering = predicate == ComparisonPredicate::NotEqual
                      ? ComparisonOrdering::Unordered
                      : ComparisonOrdering::Ordered;
  return tile::CmpFOp::create(builder, type, predicate, ordering, a, b);
}

Value Lowering::isEqual(Number a, Number b) {
  Value re = compare(ComparisonPredicate::Equal, a.re, b.re);
  if (!a.isComplex())
    return re;
  Value im = compare(ComparisonPredicate::Equal, a.im, b.im);
  return tile::AndIOp::create(builder, re.getType(), re, im);
}

Value Lowering::isZero(Number a) {
  Value zero = createConstant(getElement(a.re), 0);
  return isEqual(a, {zero, a.isComplex() ? zero : Value()});
}

Number Lowering::select(Value condition, Number a, Number b) {
  auto choose = [&](Value x, Value y) -> Value {
    return tile::SelectOp::create(builder, x.getType(), condition, x, y);
  };
  return {choose(a.re, b.re), a.isComplex() ? choose(a.im, b.im) : Value()};
}

/// large sqrt(1 + (small / large)^2), which only overflows if the result does.
Value Lowering::absComplex(Number a) {
  Type type = a.re.getType();
  Value x = tile::AbsFOp::create(builder, type, a.re);
  Value y = tile::AbsFOp::create(builder, type, a.im);
  // An infinite part decides, whatever the other one is.
  Value large = tile::MaxFOp::create(builder, type, x, y);
  Value small = tile::MinFOp::create(builder, type, x, y, /*propagate_nan=*/true,
                                     /*flush_to_zero=*/false);
  auto element = cast<FloatType>(getElement(x));
  Value zero = createConstant(element, 0), one = createConstant(element, 1);
  Value infinity = createConstant(
      element,
      builder.getFloatAttr(element, APFloat::getInf(element.getFloatSemantics())));
  Value ratio = tile::DivFOp::create(builder, type, small, large);
  Value root = tile::SqrtOp::create(builder, type, addReal(one, mulReal(ratio, ratio)));
  Value isZero = compare(ComparisonPredicate::Equal, small, zero);
  Value isInfinite = compare(ComparisonPredicate::Equal, large, infinity);
  Value isTrivial = tile::OrIOp::create(builder, isZero.getType(), isZero, isInfinite);
  return select(isTrivial, {large, {}}, {mulReal(large, root), {}}).re;
}
