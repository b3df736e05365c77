//===- ExpandFunctions.cpp - Functions that not all targets have ----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of floating-point numbers become those that instructions of the language
// become. Each is written so that nothing cancels and nothing overflows on the way.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ExpandFunctions.h"
#include "dialect/Scalars.h"
#include "lib/Builders/ExpandIntegers.h"
#include "lib/Builders/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

namespace {

/// A number of f32 or f64, with the operators of C++.
struct Real {
  ImplicitLocOpBuilder *builder;
  Value value;

  Real constant(double number) const {
    auto attr = FloatAttr::get(value.getType(), number);
    return {builder, arith::ConstantOp::create(*builder, attr)};
  }
  template <typename Op>
  Real apply() const {
    return {builder, Op::create(*builder, value)};
  }
  template <typename Op>
  Real apply(Real other) const {
    return {builder, Op::create(*builder, value, other.value)};
  }
  Value compare(arith::CmpFPredicate predicate, Real other) const {
    return arith::CmpFOp::create(*builder, predicate, value, other.value);
  }
  bool isSingle() const { return value.getType().isF32(); }
};

Real operator+(Real a, Real b) { return a.apply<arith::AddFOp>(b); }
Real operator-(Real a, Real b) { return a.apply<arith::SubFOp>(b); }
Real operator*(Real a, Real b) { return a.apply<arith::MulFOp>(b); }
Real operator/(Real a, Real b) { return a.apply<arith::DivFOp>(b); }
Real operator+(Real a, double b) { return a + a.constant(b); }
Real operator-(Real a, double b) { return a - a.constant(b); }
Real operator*(Real a, double b) { return a * a.constant(b); }
Real operator/(Real a, double b) { return a / a.constant(b); }
Real operator-(double a, Real b) { return b.constant(a) - b; }
Real operator*(double a, Real b) { return b * a; }
Real operator/(double a, Real b) { return b.constant(a) / b; }
Value operator<(Real a, Real b) { return a.compare(arith::CmpFPredicate::OLT, b); }
Value operator<(Real a, double b) { return a < a.constant(b); }
Value operator>(Real a, double b) { return a.constant(b) < a; }
Value operator==(Real a, Real b) { return a.compare(arith::CmpFPredicate::OEQ, b); }
Value operator==(Real a, double b) { return a == a.constant(b); }

Real select(Value condition, Real yes, Real no) {
  return {yes.builder,
          arith::SelectOp::create(*yes.builder, condition, yes.value, no.value)};
}

Real abs(Real x) { return x.apply<math::AbsFOp>(); }
Real exp(Real x) { return x.apply<math::ExpOp>(); }
Real expm1(Real x) { return x.apply<math::ExpM1Op>(); }
Real floor(Real x) { return x.apply<math::FloorOp>(); }
Real log(Real x) { return x.apply<math::LogOp>(); }
Real log1p(Real x) { return x.apply<math::Log1pOp>(); }
Real sqrt(Real x) { return x.apply<math::SqrtOp>(); }
Real withSign(Real x, Real sign) { return x.apply<math::CopySignOp>(sign); }

constexpr double kPi = 0x1.921fb54442d18p+1, kLog2 = 0x1.62e42fefa39efp-1;

/// The sum of c[k] T_k(s), or of c[k] T_(2k + 1)(s) for odd functions, by Clenshaw.
Real sumChebyshev(ArrayRef<double> c, Real s, bool isOdd = false) {
  Real twice = isOdd ? 4.0 * s * s - 2.0 : 2.0 * s;
  Real next = s.constant(0), sum = s.constant(c.back());
  for (double coefficient : llvm::reverse(c.drop_back().drop_front(isOdd ? 0 : 1))) {
    Real last = twice * sum - next + coefficient;
    next = sum;
    sum = last;
  }
  return isOdd ? s * (sum - next) : s * sum - next + c.front();
}

/// The angle in [0, pi/2] of a point (x, y), neither of them negative.
Real angle(Real y, Real x) {
  constexpr double tan8 = 0x1.a827999fcef32p-2, tan16 = 0x1.975f5e0553158p-3;
  Value isSteep = x < y;
  Real low = select(isSteep, x, y), high = select(isSteep, y, x);
  Real equal = select(high == 0.0, x.constant(0), x.constant(1));
  Real ratio = select(low == high, equal, low / high);
  // atan(tan8 s) has the coefficients 2 (-1)^k tan16^(2k+1) / (2k + 1).
  SmallVector<double> coefficients;
  double power = 2 * tan16;
  for (int64_t k = 0; k < (x.isSingle() ? 6 : 12); ++k) {
    coefficients.push_back(power / (2 * k + 1));
    power *= -tan16 * tan16;
  }
  Value isLarge = ratio > tan8;
  Real tangent = select(isLarge, (ratio - 1.0) / (ratio + 1.0), ratio);
  Real result = sumChebyshev(coefficients, tangent / tan8, /*isOdd=*/true);
  result = select(isLarge, result + kPi / 4, result);
  return select(isSteep, kPi / 2 - result, result);
}

Real atan2(Real y, Real x) {
  Real result = angle(abs(y), abs(x));
  result = select(withSign(x.constant(1), x) < 0.0, kPi - result, result);
  return withSign(result, y);
}

Real cosineOfSine(Real x) { return sqrt((1.0 - x) * (x + 1.0)); }
Real asin(Real x) { return atan2(x, cosineOfSine(x)); }
Real acos(Real x) { return atan2(cosineOfSine(x), x); }
Real atan(Real x) { return withSign(angle(abs(x), x.constant(1)), x); }
Real tan(Real x) { return x.apply<math::SinOp>() / x.apply<math::CosOp>(); }

/// e^a / 2 for large a, where e^a may overflow.
Real halfExp(Real a) {
  Real root = exp(0.5 * a);
  return 0.5 * root * root;
}
constexpr double kLargeAngle = 20;

Real sinh(Real x) {
  Real a = abs(x), e = expm1(a);
  Real result = 0.5 * (e + e / (e + 1.0));
  return withSign(select(a > kLargeAngle, halfExp(a), result), x);
}

Real cosh(Real x) {
  Real a = abs(x), e = exp(a);
  return select(a > kLargeAngle, halfExp(a), 0.5 * e + 0.5 / e);
}

/// Whose square neither overflows nor has digits that count next to it plus 1.
constexpr double kLargeSquared = 1e9;

Real asinh(Real x) {
  Real a = abs(x);
  Real result = log1p(a + a * a / (sqrt(a * a + 1.0) + 1.0));
  return withSign(select(a > kLargeSquared, log(a) + kLog2, result), x);
}

Real acosh(Real x) {
  Real t = x - 1.0;
  Real result = log1p(t + sqrt(2.0 * t + t * t));
  result = select(x > kLargeSquared, log(x) + kLog2, result);
  return select(x < 1.0, x.constant(std::nan("")), result);
}

Real atanh(Real x) {
  Real a = abs(x);
  return withSign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

/// The power is off where its exponent is: one step of Newton's method.
Real cbrt(Real x) {
  Real a = abs(x);
  Real root = a.apply<math::PowFOp>(a.constant(1.0 / 3));
  Real better = root - (root - a / (root * root)) / 3.0;
  Value isUsual = arith::AndIOp::create(*x.builder, root > 0.0, root < HUGE_VAL);
  return withSign(select(isUsual, better, root), x);
}

Real log10(Real x) { return log(x) * 0x1.bcb7b1526e50ep-2; }

/// The series of erf for |x| < 1/2.
Real erfOfSmall(Real x) {
  SmallVector<double> coefficients;
  double factor = 2 / std::sqrt(kPi);
  for (int64_t k = 0; k < (x.isSingle() ? 7 : 13); ++k) {
    coefficients.push_back(factor / (2 * k + 1));
    factor /= -(k + 1);
  }
  Real square = x * x, sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(ArrayRef(coefficients).drop_back()))
    sum = sum * square + coefficient;
  return x * sum;
}

/// 1 - erf(a) from a = 1/2 on: (a + 3) e^(a^2) erfc(a) is smooth in 1 / (a + 3).
Real erfcOfLarge(Real a) {
  static constexpr double c[] = {
      0x1.3514320899b22p+0,   -0x1.765cc5b2cf74fp-1,  0x1.6b97188ab2d20p-3,
      -0x1.14ba28dccac2ep-5,  0x1.34ba9f0f456e8p-8,   -0x1.95822f4f00f87p-12,
      -0x1.757329e440bc3p-18, 0x1.87a0ac77dd620p-18,  -0x1.d6d0866d16875p-22,
      -0x1.1750d1c204473p-24, 0x1.8d55f191243cep-27,  0x1.a4aa88ac1f92bp-31,
      -0x1.1d268704032d1p-32, -0x1.b26950de1d987p-37, 0x1.a4b2d8f2ce96fp-38,
      0x1.75cf7e3abee43p-42,  -0x1.436ea97c05875p-43, -0x1.bde81d12749cbp-47,
      0x1.ed73401a59798p-49,  0x1.1dcc0da574f15p-51,  -0x1.4d19537c6f7c7p-54,
  };
  a = select(a > 28.0, a.constant(28), a);
  Real inverse = 1.0 / (a + 3.0);
  Real smooth = sumChebyshev(ArrayRef(c).take_front(a.isSingle() ? 11 : std::size(c)),
                             inverse * (-434.0 / 55) + 69.0 / 55);
  // The square of a number of few digits is exact.
  Real rounded = floor(a * 16.0) / 16.0;
  Real power = exp(-1.0 * rounded * rounded) * exp((rounded - a) * (rounded + a));
  return power * smooth * inverse;
}

Real erf(Real x) {
  Real a = abs(x);
  Real tail = withSign(1.0 - erfcOfLarge(a), x);
  return select(a < 0.5, erfOfSmall(x), tail);
}

Real erfc(Real x) {
  Real a = abs(x), tail = erfcOfLarge(a);
  return select(a < 0.5, 1.0 - erfOfSmall(x), select(x < 0.0, 2.0 - tail, tail));
}

Real trunc(Real x) { return withSign(floor(abs(x)), x); }

/// To the nearest integer, halves away from zero.
Real round(Real x) {
  Real a = abs(x), below = floor(a);
  Value isUp = arith::CmpFOp::create(*x.builder, arith::CmpFPredicate::OGE,
                                     (a - below).value, a.constant(0.5).value);
  return withSign(select(isUp, below + 1.0, below), x);
}

/// The sign of a power is that of the base if the exponent is odd, also where the type
/// of the base does not have the exponent.
Real fpowi(Real x, Value exponent) {
  ImplicitLocOpBuilder &builder = *x.builder;
  Type type = exponent.getType();
  Value one = arith::ConstantOp::create(builder, builder.getIntegerAttr(type, 1));
  Value isOdd = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, one,
                                      arith::AndIOp::create(builder, exponent, one));
  Real converted{&builder,
                 arith::SIToFPOp::create(builder, x.value.getType(), exponent)};
  Real power = abs(x).apply<math::PowFOp>(converted);
  return select(isOdd, withSign(power, x), power);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A function of one number that is written by others; null if it is none.
Value expandFunction(Operation *op, Real x) {
  auto is = [](Real (*function)(Real)) { return function; };
  Real (*function)(Real) = llvm::TypeSwitch<Operation *, Real (*)(Real)>(op)
                               .Case([&](math::AcosOp) { return is(acos); })
                               .Case([&](math::AcoshOp) { return is(acosh); })
                               .Case([&](math::AsinOp) { return is(asin); })
                               .Case([&](math::AsinhOp) { return is(asinh); })
                               .Case([&](math::AtanOp) { return is(atan); })
                               .Case([&](math::AtanhOp) { return is(atanh); })
                               .Case([&](math::CbrtOp) { return is(cbrt); })
                               .Case([&](math::CoshOp) { return is(cosh); })
                               .Case([&](math::ErfOp) { return is(erf); })
                               .Case([&](math::ErfcOp) { return is(erfc); })
                               .Case([&](math::Log10Op) { return is(log10); })
                               .Case([&](math::RoundOp) { return is(round); })
                               .Case([&](math::SinhOp) { return is(sinh); })
                               .Case([&](math::TanOp) { return is(tan); })
                               .Case([&](math::TruncOp) { return is(trunc); })
                               .Default(nullptr);
  return function ? function(x).value : Value();
}

/// Whether a number is of a class, by comparisons of its absolute value.
Value expandClass(Operation *op, Real x) {
  using Predicate = arith::CmpFPredicate;
  auto compare = [&](Predicate predicate, double bound) {
    return abs(x).compare(predicate, x.constant(bound));
  };
  if (isa<math::IsNaNOp>(op))
    return x.compare(Predicate::UNO, x);
  if (isa<math::IsInfOp>(op))
    return compare(Predicate::OEQ, HUGE_VAL);
  Value isFinite = compare(Predicate::OLT, HUGE_VAL);
  if (isa<math::IsFiniteOp>(op))
    return isFinite;
  auto type = cast<FloatType>(op->getOperand(0).getType());
  APFloat least = APFloat::getSmallestNormalized(type.getFloatSemantics());
  return arith::AndIOp::create(*x.builder, isFinite,
                               compare(Predicate::OGE, least.convertToDouble()));
}

/// Whether an instruction of the language becomes a function.
bool isKept(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::CosOp, math::ExpOp,
             math::Exp2Op, math::ExpM1Op, math::FloorOp, math::FmaOp, math::LogOp,
             math::Log1pOp, math::Log2Op, math::PowFOp, math::RoundEvenOp,
             math::RsqrtOp, math::SinOp, math::SqrtOp, math::TanhOp>(op);
}

/// The values of a function whose operands are of f32 or f64; none if it stays.
SmallVector<Value> expandMath(ImplicitLocOpBuilder &builder, Operation *op,
                              ArrayRef<Value> operands) {
  Real x{&builder, operands[0]};
  if (isa<math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(op))
    return {expandClass(op, x)};
  if (isa<math::SincosOp>(op))
    return {x.apply<math::SinOp>().value, x.apply<math::CosOp>().value};
  if (isa<math::Atan2Op>(op))
    return {atan2(x, {&builder, operands[1]}).value};
  if (isa<math::FPowIOp>(op))
    return {fpowi(x, operands[1]).value};
  if (isa<math::ClampFOp>(op)) {
    Value above = arith::MaximumFOp::create(builder, operands[0], operands[1]);
    return {arith::MinimumFOp::create(builder, above, operands[2])};
  }
  if (Value value = expandFunction(op, x))
    return {value};
  return {};
}

/// A function of wider numbers: the op itself, if it is one that is kept.
SmallVector<Value> widen(ImplicitLocOpBuilder &builder, Operation *op,
                         ArrayRef<Value> operands) {
  Operation *wide = builder.clone(*op);
  wide->setOperands(operands);
  wide->getResult(0).setType(operands[0].getType());
  return {wide->getResult(0)};
}

/// The values of an op of math on floating-point numbers; none if it stays.
SmallVector<Value> expandFloating(ImplicitLocOpBuilder &builder, Operation *op) {
  Type type = op->getOperand(0).getType(), f32 = builder.getF32Type();
  bool isNarrow = isStoredAsBits(type) || (isa<math::PowFOp>(op) && type.isF16());
  if (isKept(op) && !isNarrow)
    return {};
  SmallVector<Value> operands(op->getOperands());
  isNarrow |= type.isF16();
  if (isNarrow)
    for (Value &operand : operands)
      if (operand.getType() == type)
        operand = arith::ExtFOp::create(builder, f32, operand);
  SmallVector<Value> values =
      isKept(op) ? widen(builder, op, operands) : expandMath(builder, op, operands);
  if (isNarrow)
    for (Value &value : values)
      if (value.getType() == f32)
        value = arith::TruncFOp::create(builder, type, value);
  return values;
}

/// Whether an op converts between two types, neither of them f32, of which one has no
/// arithmetic.
bool isIndirectCast(Operation *op) {
  if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
    return false;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  return (isStoredAsBits(from) || isStoredAsBits(to)) && !from.isF32() && !to.isF32();
}

SmallVector<Value> expand(ImplicitLocOpBuilder &builder, Operation *op) {
  if (isIndirectCast(op))
    return {ScalarBuilder(builder).cast(op->getOperand(0), op->getResult(0).getType())};
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
      isa<FloatType>(op->getOperand(0).getType()))
    return expandFloating(builder, op);
  return expandInteger(builder, op);
}

} // namespace

LogicalResult tinytc::expandFunctions(Operation *kernels) {
  kernels->walk([](Operation *op) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      return;
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    SmallVector<Value> values = expand(builder, op);
    if (values.empty())
      return;
    op->replaceAllUsesWith(values);
    op->erase();
  });
  return expandDivisions(kernels);
}
