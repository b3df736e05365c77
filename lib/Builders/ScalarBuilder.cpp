//===- ScalarBuilder.cpp - Arithmetic on any scalar type ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/ScalarBuilder.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tinytc;

ScalarBuilder::ScalarBuilder(ImplicitLocOpBuilder &builder, bool contract)
    : builder(builder),
      flags(contract ? arith::FastMathFlags::contract : arith::FastMathFlags::none) {}

Value ScalarBuilder::constant(Type type, int64_t value) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Type part = complexType.getElementType();
    auto parts = builder.getArrayAttr(
        {FloatAttr::get(part, static_cast<double>(value)), FloatAttr::get(part, 0.0)});
    return complex::ConstantOp::create(builder, type, parts);
  }
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder,
                                     FloatAttr::get(type, static_cast<double>(value)));
  return arith::ConstantOp::create(builder, IntegerAttr::get(type, value));
}

/// Emits the one of the three ops that fits the type: integer, floating or complex.
template <typename IntOp, typename FloatOp, typename ComplexOp>
static Value emitByType(ImplicitLocOpBuilder &builder, arith::FastMathFlags flags,
                        Value a, Value b) {
  if (isa<ComplexType>(a.getType()))
    return ComplexOp::create(builder, a, b, flags);
  if (isa<FloatType>(a.getType()))
    return FloatOp::create(builder, a, b, flags);
  return IntOp::create(builder, a, b);
}

Value ScalarBuilder::add(Value a, Value b) {
  return emitByType<arith::AddIOp, arith::AddFOp, complex::AddOp>(builder, flags, a, b);
}

Value ScalarBuilder::sub(Value a, Value b) {
  return emitByType<arith::SubIOp, arith::SubFOp, complex::SubOp>(builder, flags, a, b);
}

Value ScalarBuilder::mul(Value a, Value b) {
  return emitByType<arith::MulIOp, arith::MulFOp, complex::MulOp>(builder, flags, a, b);
}

Value ScalarBuilder::div(Value a, Value b) {
  return emitByType<arith::DivSIOp, arith::DivFOp, complex::DivOp>(builder, flags, a,
                                                                   b);
}

Value ScalarBuilder::rem(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::RemFOp::create(builder, a, b);
  return arith::RemSIOp::create(builder, a, b);
}

Value ScalarBuilder::min(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MinNumFOp::create(builder, a, b);
  return arith::MinSIOp::create(builder, a, b);
}

Value ScalarBuilder::max(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MaxNumFOp::create(builder, a, b);
  return arith::MaxSIOp::create(builder, a, b);
}

/// Targets differ in NaN and in zeros, so that no op of arith serves all. Equal numbers
/// differ in the sign of zeros only.
template <typename ZeroOp>
Value ScalarBuilder::extremum(arith::CmpFPredicate predicate, Value a, Value b) {
  Type type = a.getType(), bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  using arith::CmpFPredicate;
  Value isNaN = arith::CmpFOp::create(builder, CmpFPredicate::UNE, a, a);
  Value isBeyond = arith::CmpFOp::create(builder, predicate, a, b);
  Value takesFirst = arith::OrIOp::create(builder, isBeyond, isNaN);
  Value chosen = arith::SelectOp::create(builder, takesFirst, a, b);
  Value zero = ZeroOp::create(builder, bitcast(a, bits), bitcast(b, bits));
  Value isEqual = arith::CmpFOp::create(builder, CmpFPredicate::OEQ, a, b);
  return arith::SelectOp::create(builder, isEqual, bitcast(zero, type), chosen);
}

Value ScalarBuilder::minimum(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return extremum<arith::OrIOp>(arith::CmpFPredicate::OLT, a, b);
  return min(a, b);
}

Value ScalarBuilder::maximum(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return extremum<arith::AndIOp>(arith::CmpFPredicate::OGT, a, b);
  return max(a, b);
}

Value ScalarBuilder::neg(Value a) {
  if (isa<ComplexType>(a.getType()))
    return complex::NegOp::create(builder, a);
  if (isa<FloatType>(a.getType()))
    return arith::NegFOp::create(builder, a);
  return arith::SubIOp::create(builder, constant(a.getType(), 0), a);
}

Value ScalarBuilder::abs(Value a) {
  if (isa<ComplexType>(a.getType()))
    return complex::AbsOp::create(builder, a);
  if (isStoredAsBits(a.getType()))
    return castToReal(abs(castToReal(a, builder.getF32Type())), a.getType());
  if (isa<FloatType>(a.getType()))
    return math::AbsFOp::create(builder, a);
  // |x| = max(x, -x) also covers index, for which math has no operation.
  return max(a, neg(a));
}

static arith::FastMathFlags getPrecision(bool native) {
  return native ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
}

/// Whether a function of small numbers is one of f32, rounded once more. Functions that
/// a driver may compute in f16 are left to it.
static bool isComputedInSingle(MathFunction function, Type type) {
  switch (function) {
  case MathFunction::Cos:
  case MathFunction::Exp:
  case MathFunction::Exp2:
  case MathFunction::Log:
  case MathFunction::Log2:
  case MathFunction::Sin:
    return isStoredAsBits(type);
  default:
    return isStoredAsBits(type) || type.isF16();
  }
}

Value ScalarBuilder::pow(Value a, Value b) {
  Type type = a.getType(), f32 = builder.getF32Type();
  if (type.getIntOrFloatBitWidth() < 32)
    return castToReal(pow(castToReal(a, f32), castToReal(b, f32)), type);
  return math::PowFOp::create(builder, a, b);
}

/// The absolute value of a complex number does not overflow on the way.
Value ScalarBuilder::hypot(Value a, Value b) {
  Type type = a.getType(), f32 = builder.getF32Type();
  if (type.getIntOrFloatBitWidth() < 32)
    return castToReal(hypot(castToReal(a, f32), castToReal(b, f32)), type);
  return abs(complex::CreateOp::create(builder, ComplexType::get(type), a, b));
}

/// A multiply-add of bf16 in f32, whose result s only rounds to another bf16 than the
/// exact ab + c where s is the middle of two of them, so that the sign of ab + c - s
/// decides. With c - s = d + e, e the error of d, the fma ab + d is exact or e is 0, as
/// s has 9 digits there, c 8 and ab 16 of the 24. Small numbers are scaled for that.
static Value createFmaOfBF16(ImplicitLocOpBuilder &builder, Value a, Value b, Value c) {
  ScalarBuilder scalar(builder);
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto real = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, builder.getF32FloatAttr(value));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(builder, predicate, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(builder, condition, x, y);
  };
  using arith::CmpFPredicate;
  Value s = math::FmaOp::create(builder, a, b, c);
  Value isSmall =
      compare(CmpFPredicate::OLT, math::AbsFOp::create(builder, s), real(0x1p-100));
  Value ofFactor = choose(isSmall, real(0x1p32), real(1));
  Value ofSum = choose(isSmall, real(0x1p64), real(1));
  Value scaledC = scalar.mul(c, ofSum), scaledS = scalar.mul(s, ofSum);
  Value d = scalar.sub(scaledC, scaledS), part = scalar.sub(d, scaledC);
  Value e =
      scalar.sub(scalar.sub(scaledC, scalar.sub(d, part)), scalar.add(scaledS, part));
  Value sum =
      math::FmaOp::create(builder, scalar.mul(a, ofFactor), scalar.mul(b, ofFactor), d);
  Value rest = scalar.add(sum, e);
  Value bits = arith::BitcastOp::create(builder, i32, s);
  Value low = arith::AndIOp::create(builder, bits, scalar.constant(i32, 0xffff));
  Value isMiddle = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, low,
                                         scalar.constant(i32, 0x8000));
  Value isInexact = compare(CmpFPredicate::ONE, rest, real(0));
  Value isLarger = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                         compare(CmpFPredicate::OGT, rest, real(0)),
                                         compare(CmpFPredicate::OGT, s, real(0)));
  Value step = choose(isLarger, scalar.constant(i32, 1), scalar.constant(i32, -1));
  step = choose(arith::AndIOp::create(builder, isMiddle, isInexact), step,
                scalar.constant(i32, 0));
  return arith::BitcastOp::create(builder, f32,
                                  arith::AddIOp::create(builder, bits, step));
}

Value ScalarBuilder::fma(Value a, Value b, Value c) {
  Type type = a.getType(), f32 = builder.getF32Type();
  if (!isStoredAsBits(type))
    return math::FmaOp::create(builder, a, b, c);
  return castToReal(createFmaOfBF16(builder, castToReal(a, f32), castToReal(b, f32),
                                    castToReal(c, f32)),
                    type);
}

Value ScalarBuilder::apply(MathFunction function, Value a, bool native) {
  if (isComputedInSingle(function, a.getType())) {
    Value single = castToReal(a, builder.getF32Type());
    return castToReal(apply(function, single, native), a.getType());
  }
  arith::FastMathFlags precision = getPrecision(native);
  if (isa<ComplexType>(a.getType()))
    return function == MathFunction::Exp
               ? complex::ExpOp::create(builder, a, precision).getResult()
               : complexExp2(a, native);
  switch (function) {
  case MathFunction::Ceil:
    return math::CeilOp::create(builder, a);
  case MathFunction::Cos:
    return math::CosOp::create(builder, a, precision);
  case MathFunction::Exp:
    return math::ExpOp::create(builder, a, precision);
  case MathFunction::Exp2:
    return math::Exp2Op::create(builder, a, precision);
  case MathFunction::Expm1:
    return math::ExpM1Op::create(builder, a);
  case MathFunction::Floor:
    return math::FloorOp::create(builder, a);
  case MathFunction::Log:
    return math::LogOp::create(builder, a, precision);
  case MathFunction::Log1p:
    return math::Log1pOp::create(builder, a);
  case MathFunction::Log2:
    return math::Log2Op::create(builder, a, precision);
  case MathFunction::Rsqrt:
    return math::RsqrtOp::create(builder, a);
  case MathFunction::Sin:
    return math::SinOp::create(builder, a, precision);
  case MathFunction::Sqrt:
    return math::SqrtOp::create(builder, a);
  case MathFunction::Tanh:
    return math::TanhOp::create(builder, a);
  }
  llvm_unreachable("all functions are covered");
}

/// 2^(x + iy) = 2^x (cos p + i sin p) with the phase p = y log 2. A phase rounded to
/// its own type would be off by |y| units, so that its rounding error e is applied as
/// well: cos(p + e) = cos p - e sin p up to e^2, which is small unless |y| is large.
Value ScalarBuilder::complexExp2(Value a, bool native) {
  Value x = complex::ReOp::create(builder, a), y = complex::ImOp::create(builder, a);
  auto type = llvm::cast<FloatType>(x.getType());
  auto real = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, builder.getFloatAttr(type, value));
  };
  // log 2 = high + low; 0.693147180559945309417232121458176568... has more bits than
  // two numbers of f64.
  double high = type.isF32() ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1;
  double low = type.isF32() ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56;
  Value phase = mul(y, real(high));
  Value cosine = apply(MathFunction::Cos, phase, native);
  Value sine = apply(MathFunction::Sin, phase, native);
  if (!native) {
    Value error = math::FmaOp::create(builder, y, real(high), neg(phase));
    error = math::FmaOp::create(builder, y, real(low), error);
    Value isSmall = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT,
                                          abs(error), real(0x1p-10));
    error = arith::SelectOp::create(builder, isSmall, error, real(0));
    Value exactCosine = math::FmaOp::create(builder, neg(error), sine, cosine);
    sine = math::FmaOp::create(builder, error, cosine, sine);
    cosine = exactCosine;
  }
  Value magnitude = apply(MathFunction::Exp2, x, native);
  return complex::CreateOp::create(builder, a.getType(), mul(magnitude, cosine),
                                   mul(magnitude, sine));
}

Value ScalarBuilder::bitcast(Value value, Type type) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    auto part = [&](Value bits) -> Value {
      Value half = arith::TruncIOp::create(builder, i32, bits);
      return arith::BitcastOp::create(builder, complexType.getElementType(), half);
    };
    Value upper = arith::ShRUIOp::create(builder, value, constant(i64, 32));
    return complex::CreateOp::create(builder, type, part(value), part(upper));
  }
  if (!isa<ComplexType>(value.getType()))
    return arith::BitcastOp::create(builder, type, value);
  auto bits = [&](Value part) -> Value {
    Value half = arith::BitcastOp::create(builder, i32, part);
    return arith::ExtUIOp::create(builder, i64, half);
  };
  Value lower = bits(complex::ReOp::create(builder, value));
  Value upper = bits(complex::ImOp::create(builder, value));
  return arith::OrIOp::create(builder, lower,
                              arith::ShLIOp::create(builder, upper, constant(i64, 32)));
}

Value ScalarBuilder::notEqual(Value a, Value b) {
  if (isa<ComplexType>(a.getType()))
    return complex::NotEqualOp::create(builder, a, b);
  if (isa<FloatType>(a.getType()))
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, a, b);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, a, b);
}

Value ScalarBuilder::roundToOdd(Value value) {
  Type i32 = builder.getI32Type();
  Value nearest = arith::TruncFOp::create(builder, builder.getF32Type(), value);
  Value back = arith::ExtFOp::create(builder, value.getType(), nearest);
  Value isInexact =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::ONE, back, value);
  Value isTooLarge =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, abs(back), abs(value));
  Value bits = arith::BitcastOp::create(builder, i32, nearest);
  bits = sub(bits, arith::ExtUIOp::create(builder, i32, isTooLarge));
  bits = arith::OrIOp::create(builder, bits,
                              arith::ExtUIOp::create(builder, i32, isInexact));
  return arith::BitcastOp::create(builder, builder.getF32Type(), bits);
}

Value ScalarBuilder::keepFewBits(Value value) {
  struct Range {
    int64_t from; // smallest magnitude, as a power of two
    int64_t bit;  // all bits below it become this one bit
  };
  // The bit is below half a unit of a number of 8 bits, and at most 24 bits are left.
  static constexpr Range ranges[] = {{24, 10}, {33, 24}, {48, 39}};
  Type type = value.getType();
  int64_t width = type.getIntOrFloatBitWidth();
  Value magnitude = abs(value), result = value;
  for (Range range : ranges) {
    if (range.from >= width)
      break;
    int64_t mask = (int64_t(1) << range.bit) - 1;
    Value low = constant(type, mask), high = constant(type, ~mask);
    Value rest = arith::AndIOp::create(builder, value, low);
    Value bit = arith::AndIOp::create(builder, add(rest, low), high);
    Value kept = arith::AndIOp::create(builder, value, high);
    kept = arith::OrIOp::create(builder, kept, bit);
    Value isInRange =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, magnitude,
                              constant(type, int64_t(1) << range.from));
    result = arith::SelectOp::create(builder, isInRange, kept, result);
  }
  return result;
}

Value ScalarBuilder::castToReal(Value value, Type type) {
  Type from = value.getType();
  Type i64 = builder.getI64Type();
  if (from.isIndex())
    return castToReal(arith::IndexCastOp::create(builder, i64, value), type);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, type, castToReal(value, i64));
  if (from == type)
    return value;
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    // Those without arithmetic only convert from and to f32.
    bool hasBits = isStoredAsBits(from) || isStoredAsBits(type);
    if (hasBits && !from.isF32() && !type.isF32()) {
      Value single =
          from.isF64() ? roundToOdd(value) : castToReal(value, builder.getF32Type());
      return castToReal(single, type);
    }
    if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, type, value);
    return arith::TruncFOp::create(builder, type, value);
  }
  if (isa<FloatType>(from))
    return arith::FPToSIOp::create(builder, type, value);
  if (isa<FloatType>(type)) {
    if (isStoredAsBits(type))
      return castToReal(castToReal(keepFewBits(value), builder.getF32Type()), type);
    return arith::SIToFPOp::create(builder, type, value);
  }
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, type, value);
  return arith::TruncIOp::create(builder, type, value);
}

Value ScalarBuilder::cast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  auto complexType = dyn_cast<ComplexType>(type);
  if (!complexType)
    return castToReal(value, type);
  Type part = complexType.getElementType();
  if (!isa<ComplexType>(value.getType()))
    return complex::CreateOp::create(builder, type, castToReal(value, part),
                                     constant(part, 0));
  Value real = complex::ReOp::create(builder, value);
  Value imaginary = complex::ImOp::create(builder, value);
  return complex::CreateOp::create(builder, type, castToReal(real, part),
                                   castToReal(imaginary, part));
}
