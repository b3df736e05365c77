//===- RealBuilder.cpp - Exponentials, logarithms and powers --------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each is within 2 (tanh: 3) units in the last place.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToLLVM/RealBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

RealBuilder::Reduced RealBuilder::reduce(Value x) {
  Value rounder = real(getRounder());
  Value shifted = fma(x, real(0x1.71547652b82fep+0), rounder);
  Value n = neg(sub(shifted, rounder));
  Value r = fma(n, real(isSingle() ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1), x);
  r = fma(n, real(isSingle() ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56), r);
  return {r, shifted, rounder};
}

/// e^x = 2^n e^r with |r| <= log(2) / 2.
Value RealBuilder::exp(Value x) {
  // Beyond these bounds the result is 0 or infinity.
  x = isSingle() ? clamp(x, -110, 90) : clamp(x, -760, 720);
  auto [r, shifted, rounder] = reduce(x);
  SmallVector<double> inverseFactorials{1};
  for (int64_t k = 1, degree = isSingle() ? 7 : 13; k <= degree; ++k)
    inverseFactorials.push_back(inverseFactorials.back() / double(k));
  Value power = polynomial(r, inverseFactorials);
  return scale(power, subI(toBits(shifted), toBits(rounder)));
}

/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), a quarter of it first as 2^n may overflow.
Value RealBuilder::expm1(Value x) {
  // Beyond these bounds the result is -1 or infinity.
  Value inner = isSingle() ? clamp(x, -20, 89) : clamp(x, -40, 710);
  auto [r, shifted, rounder] = reduce(inner);
  SmallVector<double> inverseFactorials{0.5};
  for (int64_t k = 3, degree = isSingle() ? 7 : 13; k <= degree; ++k)
    inverseFactorials.push_back(inverseFactorials.back() / double(k));
  Value power = fma(mul(r, r), polynomial(r, inverseFactorials), r);
  Value exponent = addI(subI(toBits(shifted), toBits(rounder)), integer(getBias() - 2));
  Value quarter = fromBits(shiftLeft(exponent, getMantissaBits()));
  Value result = mul(fma(quarter, power, sub(quarter, real(0.25))), real(4));
  return select(isTiny(x), x, result);
}

/// 2^x = 2^n 2^r with |r| <= 1/2.
Value RealBuilder::exp2(Value x, Value low) {
  x = isSingle() ? clamp(x, -155, 130) : clamp(x, -1080, 1030);
  Value rounder = real(getRounder());
  Value shifted = add(x, rounder);
  Value r = sub(x, sub(shifted, rounder));
  if (low)
    r = add(r, low);
  // log(2)^k / k!
  static constexpr double powers[] = {
      1,
      0x1.62e42fefa39efp-1,
      0x1.ebfbdff82c58fp-3,
      0x1.c6b08d704a0c0p-5,
      0x1.3b2ab6fba4e77p-7,
      0x1.5d87fe78a6731p-10,
      0x1.430912f86c787p-13,
      0x1.ffcbfc588b0c7p-17,
      0x1.62c0223a5c824p-20,
      0x1.b5253d395e7c4p-24,
      0x1.e4cf5158b8ecap-28,
      0x1.e8cac7351bb25p-32,
      0x1.c3bd650fc2986p-36,
      0x1.816193166d0f9p-40,
  };
  Value power = polynomial(r, ArrayRef(powers).take_front(isSingle() ? 8 : 14));
  return scale(power, subI(toBits(shifted), toBits(rounder)));
}

RealBuilder::Split RealBuilder::split(Value x) {
  int64_t mantissaBits = getMantissaBits();
  Value isSubnormal =
      compare(arith::CmpFPredicate::OLT, x, real(isSingle() ? 0x1p-126 : 0x1p-1022));
  double factor = isSingle() ? 0x1p25 : 0x1p54;
  Value scaled = select(isSubnormal, mul(x, real(factor)), x);
  Value one = toBits(real(1)), root = toBits(real(0x1.6a09e667f3bcdp-1));
  Value bits = addI(toBits(scaled), subI(one, root));
  Value exponent = subI(shiftRight(bits, mantissaBits), integer(getBias()));
  Value fraction = andI(bits, integer((int64_t(1) << mantissaBits) - 1));
  Value f = sub(fromBits(addI(fraction, root)), real(1));
  Value k = arith::SIToFPOp::create(builder, type, exponent);
  k = sub(k, select(isSubnormal, real(isSingle() ? 25 : 54), real(0)));
  return {f, k};
}

/// log x = k log 2 + log m, by the method of fdlibm: with f = m - 1 and s = f / (2 +
/// f), log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R(s^2))).
Value RealBuilder::logarithm(Value x, bool isBase2, Value low) {
  auto [f, k] = split(x);
  static constexpr double singleR[] = {0x1.555554p-1, 0x1.999c26p-2, 0x1.23d3dcp-2,
                                       0x1.f13c4cp-3};
  static constexpr double doubleR[] = {
      6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
      2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
      1.479819860511658591e-01};
  Value s = div(f, add(real(2), f));
  Value z = mul(s, s);
  Value r = mul(z, isSingle() ? polynomial(z, singleR) : polynomial(z, doubleR));
  Value half = mul(mul(real(0.5), f), f);
  Value rest = mul(s, add(half, r));
  if (low) // log(x + low) = log x + low / x
    rest = add(rest, div(low, x));
  Value result;
  if (isBase2) {
    result = fma(add(sub(rest, half), f), real(0x1.71547652b82fep+0), k);
  } else {
    Value lowLog2 = real(isSingle() ? 0x1.2fefa2p-17 : 1.90821492927058770002e-10);
    Value highLog2 = real(isSingle() ? 0x1.62e3p-1 : 6.93147180369123816490e-01);
    rest = fma(k, lowLog2, rest);
    result = fma(k, highLog2, add(sub(rest, half), f));
  }
  double infinity = std::numeric_limits<double>::infinity();
  Value isInfinite = compare(arith::CmpFPredicate::OEQ, x, real(infinity));
  result = select(isInfinite, x, result);
  Value isZero = compare(arith::CmpFPredicate::OEQ, x, real(0));
  result = select(isZero, real(-infinity), result);
  Value isDefined = compare(arith::CmpFPredicate::OGE, x, real(0));
  return select(isDefined, result, real(std::numeric_limits<double>::quiet_NaN()));
}

/// The sum 1 + x is rounded; its error is known.
Value RealBuilder::log1p(Value x) {
  Value one = real(1), sum = add(one, x), part = sub(sum, one);
  Value error = add(sub(one, sub(sum, part)), sub(x, part));
  return select(isTiny(x), x, logarithm(sum, /*isBase2=*/false, error));
}

/// tanh x = t / (t + 2) with t = e^2x - 1.
Value RealBuilder::tanh(Value x) {
  Value magnitude = clamp(abs(x), 0, 22);
  Value t = expm1(add(magnitude, magnitude));
  return math::CopySignOp::create(builder, div(t, add(t, real(2))), x);
}

/// log(1 + f) = s (2 + s^2 (2/3 + s^2 (2/5 + ...))) with s = f / (2 + f). All but the
/// terms from 2/5 on are computed with twice the bits.
RealBuilder::Sum RealBuilder::preciseLog2(Value x) {
  auto [f, k] = split(x);
  auto constant = [&](double high, double low) -> Sum {
    double single = static_cast<float>(high);
    return isSingle() ? Sum{real(single), real(high - single)}
                      : Sum{real(high), real(low)};
  };
  Sum divisor = addSmaller(real(2), f);
  Value quotient = div(f, divisor.high);
  Value rest = fma(neg(quotient), divisor.high, f);
  rest = fma(neg(quotient), divisor.low, rest);
  Sum s{quotient, div(rest, divisor.high)};
  Sum square = mul(s, s);
  SmallVector<double> coefficients;
  for (int64_t n = 5, last = isSingle() ? 13 : 27; n <= last; n += 2)
    coefficients.push_back(2.0 / double(n));
  Sum third = constant(2.0 / 3.0, 0x1.5555555555555p-55);
  Sum sum =
      addSmaller(third.high, mul(square.high, polynomial(square.high, coefficients)));
  sum.low = add(sum.low, third.low);
  Sum higher = mul(square, sum);
  Sum factor = addSmaller(real(2), higher.high);
  factor.low = add(factor.low, higher.low);
  Sum fraction =
      mul(mul(s, factor), constant(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
  Sum result = addSmaller(k, fraction.high);
  return addSmaller(result.high, add(result.low, fraction.low));
}

/// |x|^y = 2^(y log2 |x|), negative if x is and y is odd.
Value RealBuilder::pow(Value x, Value y) {
  using Predicate = arith::CmpFPredicate;
  double infinity = std::numeric_limits<double>::infinity();
  auto both = [&](Value a, Value b) -> Value {
    return arith::AndIOp::create(builder, a, b);
  };
  Value magnitude = abs(x), zero = real(0), one = real(1);
  Sum logarithm = preciseLog2(magnitude);
  Value exponent = mul(y, logarithm.high);
  Value low = fma(y, logarithm.high, neg(exponent));
  low = fma(y, logarithm.low, low);
  Value isSmall = compare(Predicate::OLT, abs(exponent), real(4096));
  for (auto [special, log2] :
       {std::pair(0.0, -infinity), std::pair(infinity, infinity)}) {
    Value isSpecial = compare(Predicate::OEQ, magnitude, real(special));
    exponent = select(isSpecial, mul(y, real(log2)), exponent);
  }
  Value isOne = compare(Predicate::OEQ, magnitude, one);
  exponent = select(both(isOne, compare(Predicate::ORD, y, y)), zero, exponent);
  Value result = exp2(exponent, select(isSmall, low, zero));

  Value isInteger = compare(Predicate::OEQ, trunc(y), y);
  Value half = mul(y, real(0.5));
  Value isOdd = both(isInteger, compare(Predicate::UNE, trunc(half), half));
  result = select(isOdd, math::CopySignOp::create(builder, result, x), result);
  Value isNegative = both(compare(Predicate::OLT, x, zero),
                          compare(Predicate::OGT, x, real(-infinity)));
  Value nan = real(std::numeric_limits<double>::quiet_NaN());
  result = select(isNegative, select(isInteger, result, nan), result);
  result = select(compare(Predicate::UNO, x, x), x, result);
  Value isTrivial = arith::OrIOp::create(builder, compare(Predicate::OEQ, y, zero),
                                         compare(Predicate::OEQ, x, one));
  return select(isTrivial, one, result);
}
