//===- ScalarFolds.cpp - Folders of arithmetic, comparisons and casts -----===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Constants of matrices are those of their components, so one folder serves scalars and
// matrices. What traps, overflows or depends on the device is left unchanged.
//
//===----------------------------------------------------------------------===//

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

using IntegerResult = std::optional<APInt>;
using FloatResult = std::optional<APFloat>;
using IntegerRule = IntegerResult (*)(const APInt &, const APInt &);
using FloatRule = FloatResult (*)(APFloat, const APFloat &);

static constexpr auto kRounding = APFloat::rmNearestTiesToEven;

template <APInt (APInt::*operation)(const APInt &, bool &) const>
static IntegerResult withoutOverflow(const APInt &a, const APInt &b) {
  bool overflow = false;
  APInt result = (a.*operation)(b, overflow);
  return overflow ? IntegerResult() : result;
}

template <APFloat::opStatus (APFloat::*operation)(const APFloat &,
                                                  APFloat::roundingMode)>
static FloatResult rounded(APFloat a, const APFloat &b) {
  (a.*operation)(b, kRounding);
  return a.isNaN() ? FloatResult() : a;
}

/// The result if it needs no rounding: then no order of operations changes it.
template <APFloat::opStatus (APFloat::*operation)(const APFloat &,
                                                  APFloat::roundingMode)>
static FloatResult exact(APFloat a, const APFloat &b) {
  if ((a.*operation)(b, kRounding) != APFloat::opOK || !a.isFinite())
    return std::nullopt;
  return a;
}

/// The language has no constant -2^63.
static Attribute getInteger(Type type, const IntegerResult &value) {
  if (!value || (value->getBitWidth() == 64 && value->isMinSignedValue()))
    return {};
  return IntegerAttr::get(type, *value);
}

static Attribute getFloat(Type type, const FloatResult &value) {
  return value ? FloatAttr::get(type, *value) : FloatAttr();
}

static Attribute getComplex(Attribute real, Attribute imaginary) {
  if (!real || !imaginary)
    return {};
  return ArrayAttr::get(real.getContext(), {real, imaginary});
}

/// The parts of a complex constant, or nothing.
static std::optional<std::pair<FloatAttr, FloatAttr>> getParts(Attribute value) {
  auto parts = dyn_cast_or_null<ArrayAttr>(value);
  if (!parts || parts.size() != 2)
    return std::nullopt;
  return std::pair(cast<FloatAttr>(parts[0]), cast<FloatAttr>(parts[1]));
}

/// Folds two constants; complex ones part by part if `partwise`.
static Attribute foldBinary(Attribute a, Attribute b, IntegerRule integerRule,
                            FloatRule floatRule = nullptr, bool partwise = false) {
  auto integerA = dyn_cast_or_null<IntegerAttr>(a);
  auto integerB = dyn_cast_or_null<IntegerAttr>(b);
  if (integerA && integerB)
    return getInteger(integerA.getType(),
                      integerRule(integerA.getValue(), integerB.getValue()));
  auto floatA = dyn_cast_or_null<FloatAttr>(a);
  auto floatB = dyn_cast_or_null<FloatAttr>(b);
  if (floatA && floatB && floatRule)
    return getFloat(floatA.getType(), floatRule(floatA.getValue(), floatB.getValue()));
  auto partsA = getParts(a), partsB = getParts(b);
  if (!partsA || !partsB || !partwise)
    return {};
  return getComplex(foldBinary(partsA->first, partsB->first, nullptr, floatRule),
                    foldBinary(partsA->second, partsB->second, nullptr, floatRule));
}

/// All bits of an integer or of a boolean are set.
static bool isAllOnes(Attribute value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(value);
  return integer && integer.getValue().isAllOnes();
}

static bool isOne(Attribute value) {
  return matchPattern(value, m_One()) || matchPattern(value, m_OneFloat());
}

static bool hasIntegers(Value value) {
  return getScalarType(value.getType()).isIntOrIndex();
}

static Attribute getZeroInteger(Value value) {
  return IntegerAttr::get(getScalarType(value.getType()), 0);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

OpFoldResult ArithAddOp::fold(FoldAdaptor adaptor) {
  // x + 0.0 is not x for x = -0.0, x + -0.0 is.
  if (matchPattern(adaptor.getB(), m_Zero()) ||
      matchPattern(adaptor.getB(), m_NegZeroFloat()))
    return getA();
  return foldBinary(adaptor.getA(), adaptor.getB(), withoutOverflow<&APInt::sadd_ov>,
                    rounded<&APFloat::add>, /*partwise=*/true);
}

OpFoldResult ArithSubOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getB(), m_Zero()) ||
      matchPattern(adaptor.getB(), m_PosZeroFloat()))
    return getA();
  if (getA() == getB() && hasIntegers(getA()))
    return getZeroInteger(getA());
  return foldBinary(adaptor.getA(), adaptor.getB(), withoutOverflow<&APInt::ssub_ov>,
                    rounded<&APFloat::subtract>, /*partwise=*/true);
}

/// (a + b i) (c + d i) if none of its terms is rounded.
static Attribute foldComplexProduct(Attribute lhs, Attribute rhs) {
  auto x = getParts(lhs), y = getParts(rhs);
  if (!x || !y)
    return {};
  auto combine = [](FloatRule rule, FloatAttr a, FloatAttr b, FloatAttr c,
                    FloatAttr d) -> Attribute {
    FloatResult first = exact<&APFloat::multiply>(a.getValue(), b.getValue());
    FloatResult second = exact<&APFloat::multiply>(c.getValue(), d.getValue());
    return first && second ? getFloat(a.getType(), rule(*first, *second)) : Attribute();
  };
  return getComplex(
      combine(exact<&APFloat::subtract>, x->first, y->first, x->second, y->second),
      combine(exact<&APFloat::add>, x->first, y->second, x->second, y->first));
}

OpFoldResult ArithMulOp::fold(FoldAdaptor adaptor) {
  if (isOne(adaptor.getB()))
    return getA();
  if (matchPattern(adaptor.getB(), m_Zero()))
    return getB();
  if (Attribute product = foldComplexProduct(adaptor.getA(), adaptor.getB()))
    return product;
  return foldBinary(adaptor.getA(), adaptor.getB(), withoutOverflow<&APInt::smul_ov>,
                    rounded<&APFloat::multiply>);
}

OpFoldResult ArithDivOp::fold(FoldAdaptor adaptor) {
  if (isOne(adaptor.getB()))
    return getA();
  if (matchPattern(adaptor.getB(), m_Zero()))
    return {};
  return foldBinary(adaptor.getA(), adaptor.getB(), withoutOverflow<&APInt::sdiv_ov>,
                    rounded<&APFloat::divide>);
}

OpFoldResult ArithRemOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getB(), m_One()))
    return getZeroInteger(getA());
  auto integerRule = [](const APInt &a, const APInt &b) -> IntegerResult {
    if (b.isZero() || (a.isMinSignedValue() && b.isAllOnes()))
      return std::nullopt;
    return a.srem(b);
  };
  auto floatRule = [](APFloat a, const APFloat &b) -> FloatResult {
    a.mod(b);
    return a.isNaN() ? FloatResult() : a;
  };
  return foldBinary(adaptor.getA(), adaptor.getB(), integerRule, floatRule);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// The distance of a shift: modulo the width, which is a power of two.
static unsigned getShiftDistance(const APInt &amount) {
  return (amount & (amount.getBitWidth() - 1)).getZExtValue();
}

OpFoldResult ArithShlOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getB(), m_Zero()))
    return getA();
  return foldBinary(adaptor.getA(), adaptor.getB(),
                    [](const APInt &a, const APInt &b) -> IntegerResult {
                      return a.shl(getShiftDistance(b));
                    });
}

OpFoldResult ArithShrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getB(), m_Zero()))
    return getA();
  return foldBinary(adaptor.getA(), adaptor.getB(),
                    [](const APInt &a, const APInt &b) -> IntegerResult {
                      return a.ashr(getShiftDistance(b));
                    });
}

OpFoldResult ArithAndOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB() || isAllOnes(adaptor.getB()))
    return getA();
  if (matchPattern(adaptor.getB(), m_Zero()))
    return getB();
  return foldBinary(
      adaptor.getA(), adaptor.getB(),
      [](const APInt &a, const APInt &b) -> IntegerResult { return a & b; });
}

OpFoldResult ArithOrOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB() || matchPattern(adaptor.getB(), m_Zero()))
    return getA();
  if (isAllOnes(adaptor.getB()))
    return getB();
  return foldBinary(
      adaptor.getA(), adaptor.getB(),
      [](const APInt &a, const APInt &b) -> IntegerResult { return a | b; });
}

OpFoldResult ArithXorOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getB(), m_Zero()))
    return getA();
  if (getA() == getB())
    return getZeroInteger(getA());
  return foldBinary(
      adaptor.getA(), adaptor.getB(),
      [](const APInt &a, const APInt &b) -> IntegerResult { return a ^ b; });
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

/// Devices treat NaN, and zeros of different signs, differently.
static bool isOrdered(const APFloat &a, const APFloat &b) {
  return !a.isNaN() && !b.isNaN() && !(a.isZero() && b.isZero());
}

OpFoldResult ArithMinOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB())
    return getA();
  return foldBinary(
      adaptor.getA(), adaptor.getB(),
      [](const APInt &a, const APInt &b) -> IntegerResult { return a.slt(b) ? a : b; },
      [](APFloat a, const APFloat &b) -> FloatResult {
        return isOrdered(a, b) ? FloatResult(a < b ? a : b) : std::nullopt;
      });
}

OpFoldResult ArithMaxOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB())
    return getA();
  return foldBinary(
      adaptor.getA(), adaptor.getB(),
      [](const APInt &a, const APInt &b) -> IntegerResult { return a.sgt(b) ? a : b; },
      [](APFloat a, const APFloat &b) -> FloatResult {
        return isOrdered(a, b) ? FloatResult(a > b ? a : b) : std::nullopt;
      });
}

//===----------------------------------------------------------------------===//
// Unary operations
//===----------------------------------------------------------------------===//

static Attribute foldNeg(Attribute value) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return integer.getValue().isMinSignedValue()
               ? Attribute()
               : getInteger(integer.getType(), -integer.getValue());
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    return FloatAttr::get(real.getType(), -real.getValue());
  if (auto parts = getParts(value))
    return getComplex(foldNeg(parts->first), foldNeg(parts->second));
  return {};
}

static Attribute foldAbs(Attribute value) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return integer.getValue().isNegative() ? foldNeg(value) : value;
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    return FloatAttr::get(real.getType(), llvm::abs(real.getValue()));
  // Without a square root only where one part is zero.
  auto parts = getParts(value);
  if (parts && parts->second.getValue().isZero())
    return foldAbs(parts->first);
  if (parts && parts->first.getValue().isZero())
    return foldAbs(parts->second);
  return {};
}

OpFoldResult ArithAbsOp::fold(FoldAdaptor adaptor) {
  if (getA().getDefiningOp<ArithAbsOp>())
    return getA();
  return foldAbs(adaptor.getA());
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB())
    return getA();
  auto condition = dyn_cast_or_null<IntegerAttr>(adaptor.getCondition());
  if (!condition)
    return {};
  return condition.getValue().isZero() ? getB() : getA();
}

OpFoldResult ArithNegOp::fold(FoldAdaptor adaptor) {
  if (auto negation = getA().getDefiningOp<ArithNegOp>())
    return negation.getA();
  return foldNeg(adaptor.getA());
}

OpFoldResult ArithNotOp::fold(FoldAdaptor adaptor) {
  if (auto complement = getA().getDefiningOp<ArithNotOp>())
    return complement.getA();
  auto integer = dyn_cast_or_null<IntegerAttr>(adaptor.getA());
  return integer ? getInteger(integer.getType(), ~integer.getValue()) : Attribute();
}

OpFoldResult ArithConjOp::fold(FoldAdaptor adaptor) {
  if (auto conjugate = getA().getDefiningOp<ArithConjOp>())
    return conjugate.getA();
  auto parts = getParts(adaptor.getA());
  return parts ? getComplex(parts->first, foldNeg(parts->second)) : Attribute();
}

OpFoldResult ArithImOp::fold(FoldAdaptor adaptor) {
  auto parts = getParts(adaptor.getA());
  return parts ? Attribute(parts->second) : Attribute();
}

OpFoldResult ArithReOp::fold(FoldAdaptor adaptor) {
  auto parts = getParts(adaptor.getA());
  return parts ? Attribute(parts->first) : Attribute();
}
