//===- Functions.cpp - Functions of math as arithmetic --------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// LLVM's backends have at most instructions for approximations in f32, and the
// libraries that upstream calls need not be there. The functions here are within 2
// (tanh: 3) units in the last place.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToLLVM/Patterns.h"
#include "lib/Conversion/GPUToLLVM/RealBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

namespace {

/// The sine and the cosine of f64: x = n pi/2 + r with |r| <= pi/4.
class CircularBuilder {
public:
  /// The result is rounded to f32 if the number is one of f32; `tableSpace` is the
  /// address space of constants.
  CircularBuilder(ImplicitLocOpBuilder &builder, Type type, unsigned tableSpace)
      : builder(builder), f64(builder, builder.getF64Type()), isSingle(type.isF32()),
        tableSpace(tableSpace) {}

  Value sin(Value x) { return emit(x, /*isCosine=*/false); }
  Value cos(Value x) { return emit(x, /*isCosine=*/true); }

private:
  /// r, its rounding error if that is known, and a number whose lowest bits are those
  /// of n.
  struct Reduced {
    Value r, error, n;
  };

  Value emit(Value x, bool isCosine);
  Reduced reduce(Value magnitude);
  Reduced reduceSmall(Value magnitude);
  Reduced reduceLarge(Value magnitude);
  Value emitSine(Reduced reduced);
  Value emitCosine(Reduced reduced);

  Value mulHigh(Value a, Value b) {
    return arith::MulUIExtendedOp::create(builder, a, b).getHigh();
  }
  Value mulLow(Value a, Value b) { return arith::MulIOp::create(builder, a, b); }
  Value orI(Value a, Value b) { return arith::OrIOp::create(builder, a, b); }
  Value shiftRight(Value a, Value n) { return arith::ShRUIOp::create(builder, a, n); }
  Value shiftLeft(Value a, Value n) { return arith::ShLIOp::create(builder, a, n); }
  /// Three words of 2/pi from a bit on.
  SmallVector<Value, 3> loadBits(Value position);

  ImplicitLocOpBuilder &builder;
  RealBuilder f64;
  bool isSingle;
  unsigned tableSpace;
};

/// pi/2 as a sum.
static constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                     -0x1.f1976b7ed8fbcp-110};

Value CircularBuilder::emitSine(Reduced reduced) {
  static constexpr double singleS[] = {-0x1.5555554cbac77p-3, 0x1.111110896efbbp-7,
                                       -0x1.a00f9e2cae774p-13, 0x1.6cd878c3b46a7p-19};
  static constexpr double doubleS[] = {
      -1.66666666666666324348e-01, 8.33333333332248946124e-03,
      -1.98412698298579493134e-04, 2.75573137070700676789e-06,
      -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  Value r = reduced.r, square = f64.mul(r, r), cube = f64.mul(square, r);
  if (isSingle)
    return f64.fma(cube, f64.polynomial(square, singleS), r);
  Value rest = f64.fma(cube, f64.polynomial(square, doubleS), reduced.error);
  return f64.add(r, rest);
}

Value CircularBuilder::emitCosine(Reduced reduced) {
  static constexpr double singleC[] = {1, -0x1.ffffffd0c5e81p-2, 0x1.55553e1053a42p-5,
                                       -0x1.6c087e80f1e27p-10, 0x1.99342e0ee5069p-16};
  static constexpr double doubleC[] = {
      4.16666666666666019037e-02, -1.38888888888741095749e-03,
      2.48015872894767294178e-05, -2.75573143513906633035e-07,
      2.08757232129817482790e-09, -1.13596475577881948265e-11};
  Value r = reduced.r, square = f64.mul(r, r);
  if (isSingle)
    return f64.polynomial(square, singleC);
  Value one = f64.real(1);
  Value half = f64.mul(square, f64.real(0.5));
  Value leading = f64.sub(one, half);
  Value error = f64.sub(f64.sub(one, leading), half);
  error = f64.fma(f64.neg(r), reduced.error, error);
  Value sum = f64.polynomial(square, doubleC);
  return f64.add(leading, f64.fma(f64.mul(square, square), sum, error));
}

/// n by rounding, and r by the method of Cody and Waite, which is exact as long as n is
/// not large.
CircularBuilder::Reduced CircularBuilder::reduceSmall(Value magnitude) {
  Value rounder = f64.real(f64.getRounder());
  Value shifted = f64.fma(magnitude, f64.real(0x1.45f306dc9c883p-1), rounder);
  Value n = f64.neg(f64.sub(shifted, rounder));
  Value r = magnitude;
  for (double part : kHalfPi)
    r = f64.fma(n, f64.real(part), r);
  return {r, f64.real(0), f64.toBits(shifted)};
}

/// 64 bits that are 0, then 2/pi = 0.a2f983...
static constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// The table of these words in the module.
static LLVM::GlobalOp getTable(ImplicitLocOpBuilder &builder, unsigned space) {
  Operation *scope =
      SymbolTable::getNearestSymbolTable(builder.getInsertionBlock()->getParentOp());
  StringRef name = "__tinytc_two_over_pi";
  if (auto table =
          dyn_cast_or_null<LLVM::GlobalOp>(SymbolTable::lookupSymbolIn(scope, name)))
    return table;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&scope->getRegion(0).front());
  Type i64 = builder.getI64Type();
  int64_t count = std::size(kTwoOverPi);
  auto words = DenseElementsAttr::get(RankedTensorType::get(count, i64),
                                      ArrayRef<uint64_t>(kTwoOverPi));
  return LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(i64, count),
                                /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                words, /*alignment=*/8, space);
}

SmallVector<Value, 3> CircularBuilder::loadBits(Value position) {
  Value word = f64.shiftRight(position, 6);
  Value shift = f64.andI(position, f64.integer(63));
  Value back = f64.subI(f64.integer(63), shift), one = f64.integer(1);
  Value table = LLVM::AddressOfOp::create(builder, getTable(builder, tableSpace));
  auto load = [&](int64_t distance) -> Value {
    Value index = f64.addI(word, f64.integer(distance));
    Value pointer = LLVM::GEPOp::create(builder, table.getType(), f64.bitsType, table,
                                        ArrayRef<LLVM::GEPArg>{index});
    return LLVM::LoadOp::create(builder, f64.bitsType, pointer, /*alignment=*/8);
  };
  SmallVector<Value, 3> words;
  Value next = load(0);
  for (int64_t i = 0; i < 3; ++i) {
    Value high = shiftLeft(next, shift);
    next = load(i + 1);
    // Shifted in two steps: a distance of 64 is none.
    words.push_back(orI(high, shiftRight(shiftRight(next, one), back)));
  }
  return words;
}

/// The method of Payne and Hanek: of x = m 2^e times 2/pi, the bits of 2/pi with a
/// weight of at least 4 / m only add multiples of 4 to n.
CircularBuilder::Reduced CircularBuilder::reduceLarge(Value magnitude) {
  Value bits = f64.toBits(magnitude);
  Value exponent = f64.subI(f64.shiftRight(bits, 52), f64.integer(1075));
  Value mantissa = orI(f64.andI(bits, f64.integer((int64_t(1) << 52) - 1)),
                       f64.integer(int64_t(1) << 52));
  // The first bit of these words has weight 2, and then that of the product as well.
  SmallVector<Value, 3> words = loadBits(f64.addI(exponent, f64.integer(62)));
  Value low = mulLow(mantissa, words[2]), carryLow = mulHigh(mantissa, words[2]);
  Value middle = mulLow(mantissa, words[1]), carryMiddle = mulHigh(mantissa, words[1]);
  Value high = f64.addI(mulLow(mantissa, words[0]), carryMiddle);
  Value sum = f64.addI(middle, carryLow);
  Value carries =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, sum, carryLow);
  high = f64.addI(high, arith::ExtUIOp::create(builder, f64.bitsType, carries));
  // Two bits of n, then the fraction, as a signed number from -1/2 to 1/2.
  Value two = f64.integer(2), rest = f64.integer(62);
  Value upper = orI(shiftLeft(high, two), shiftRight(sum, rest));
  Value lower = orI(shiftLeft(sum, two), shiftRight(low, rest));
  Value n = f64.addI(shiftRight(high, rest), shiftRight(upper, f64.integer(63)));
  // The upper bits are exact in f64; the others are at most one unit of them.
  Value exact = f64.andI(upper, f64.integer(~int64_t(0x7ff)));
  Value below = f64.andI(upper, f64.integer(0x7ff));
  Value leading =
      f64.mul(arith::SIToFPOp::create(builder, f64.type, exact), f64.real(0x1p-64));
  Value trailing =
      f64.mul(arith::UIToFPOp::create(builder, f64.type, lower), f64.real(0x1p-128));
  trailing = f64.fma(arith::UIToFPOp::create(builder, f64.type, below),
                     f64.real(0x1p-64), trailing);
  Value fraction = f64.add(leading, trailing);
  Value error = f64.add(f64.sub(leading, fraction), trailing);
  Value halfPi = f64.real(kHalfPi[0]);
  Value r = f64.mul(fraction, halfPi);
  error = f64.fma(error, halfPi, f64.fma(fraction, halfPi, f64.neg(r)));
  error = f64.fma(fraction, f64.real(kHalfPi[1]), error);
  return {r, error, n};
}

CircularBuilder::Reduced CircularBuilder::reduce(Value magnitude) {
  Value isLarge = f64.compare(arith::CmpFPredicate::OGE, magnitude, f64.real(0x1p30));
  auto yield = [&](Reduced reduced) {
    scf::YieldOp::create(builder, ValueRange{reduced.r, reduced.error, reduced.n});
  };
  auto branch =
      scf::IfOp::create(builder, TypeRange{f64.type, f64.type, f64.bitsType}, isLarge,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  yield(reduceLarge(magnitude));
  builder.setInsertionPointToStart(branch.elseBlock());
  yield(reduceSmall(magnitude));
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

Value CircularBuilder::emit(Value x, bool isCosine) {
  if (isSingle)
    x = arith::ExtFOp::create(builder, f64.type, x);
  Value magnitude = f64.abs(x);
  Reduced reduced = reduce(magnitude);
  Value n = reduced.n;
  if (isCosine) // cos x = sin(x + pi/2)
    n = f64.addI(n, f64.integer(1));
  Value isOdd = arith::TruncIOp::create(builder, builder.getI1Type(), n);
  Value result = f64.select(isOdd, emitCosine(reduced), emitSine(reduced));
  Value sign = f64.shiftLeft(f64.shiftRight(n, 1), 63);
  if (!isCosine) {
    Value own =
        f64.andI(f64.toBits(x), f64.integer(std::numeric_limits<int64_t>::min()));
    sign = arith::XOrIOp::create(builder, sign, own);
  }
  result = f64.fromBits(arith::XOrIOp::create(builder, f64.toBits(result), sign));
  double infinity = std::numeric_limits<double>::infinity();
  Value isFinite =
      f64.compare(arith::CmpFPredicate::OLT, magnitude, f64.real(infinity));
  result =
      f64.select(isFinite, result, f64.real(std::numeric_limits<double>::quiet_NaN()));
  if (isSingle)
    result = arith::TruncFOp::create(builder, builder.getF32Type(), result);
  return result;
}

/// Computes a function of f32 or f64.
using EmitExactly = std::function<Value(ImplicitLocOpBuilder &, Value)>;

Value multiply(ImplicitLocOpBuilder &builder, Value x, double factor) {
  RealBuilder real(builder, x.getType());
  return real.mul(x, real.real(factor));
}

constexpr double kLog2E = 0x1.71547652b82fep+0, kLog2 = 0x1.62e42fefa39efp-1;

/// A function of math: of f16 in f32, approximated where that is allowed and the type
/// is f32.
template <typename Op>
struct FunctionPattern final : OpConversionPattern<Op> {
  FunctionPattern(const TypeConverter &converter, MLIRContext *context,
                  EmitExactly exact, EmitExactly approximate)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2),
        exact(std::move(exact)), approximate(std::move(approximate)) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<Float16Type, Float32Type, Float64Type>(type))
      return rewriter.notifyMatchFailure(op, "expected f16, f32 or f64");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = adaptor.getOperand();
    bool isApproximate =
        bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (type.isF16())
      x = arith::ExtFOp::create(builder, builder.getF32Type(), x);
    isApproximate &= x.getType().isF32() && approximate;
    Value result = isApproximate ? approximate(builder, x) : exact(builder, x);
    if (type.isF16())
      result = arith::TruncFOp::create(builder, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  EmitExactly exact, approximate;
};

/// A function that nothing approximates.
template <typename Op, auto function>
void addExact(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<FunctionPattern<Op>>(
      converter, patterns.getContext(),
      [](ImplicitLocOpBuilder &builder, Value x) {
        return (RealBuilder(builder, x.getType()).*function)(x);
      },
      nullptr);
}

/// A power of f32 or f64; those of smaller types are computed in f32 from the
/// beginning.
struct PowPattern final : OpConversionPattern<math::PowFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(math::PowFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<Float32Type, Float64Type>(type))
      return rewriter.notifyMatchFailure(op, "expected f32 or f64");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RealBuilder real(builder, type);
    rewriter.replaceOp(op, real.pow(adaptor.getLhs(), adaptor.getRhs()));
    return success();
  }
};

} // namespace

void tinytc::populateFunctionPatterns(const TypeConverter &converter,
                                      RewritePatternSet &patterns, AddressSpaces spaces,
                                      Approximations approximations) {
  MLIRContext *context = patterns.getContext();
  using Builder = ImplicitLocOpBuilder;
  auto [exp2, log2, sin, cos] = approximations;
  EmitExactly exp, log;
  if (exp2)
    exp = [exp2](Builder &b, Value x) { return exp2(b, multiply(b, x, kLog2E)); };
  if (log2)
    log = [log2](Builder &b, Value x) { return multiply(b, log2(b, x), kLog2); };
  patterns.add<FunctionPattern<math::ExpOp>>(
      converter, context,
      [](Builder &b, Value x) { return RealBuilder(b, x.getType()).exp(x); }, exp);
  patterns.add<FunctionPattern<math::Exp2Op>>(
      converter, context,
      [](Builder &b, Value x) { return RealBuilder(b, x.getType()).exp2(x); }, exp2);
  patterns.add<FunctionPattern<math::LogOp>>(
      converter, context,
      [](Builder &b, Value x) { return RealBuilder(b, x.getType()).log(x); }, log);
  patterns.add<FunctionPattern<math::Log2Op>>(
      converter, context,
      [](Builder &b, Value x) { return RealBuilder(b, x.getType()).log2(x); }, log2);
  addExact<math::ExpM1Op, &RealBuilder::expm1>(converter, patterns);
  addExact<math::Log1pOp, &RealBuilder::log1p>(converter, patterns);
  addExact<math::RsqrtOp, &RealBuilder::rsqrt>(converter, patterns);
  addExact<math::TanhOp, &RealBuilder::tanh>(converter, patterns);
  patterns.add<PowPattern>(converter, context, /*benefit=*/2);
  unsigned tables = spaces.constants;
  patterns.add<FunctionPattern<math::SinOp>>(
      converter, context,
      [tables](Builder &b, Value x) {
        return CircularBuilder(b, x.getType(), tables).sin(x);
      },
      sin);
  patterns.add<FunctionPattern<math::CosOp>>(
      converter, context,
      [tables](Builder &b, Value x) {
        return CircularBuilder(b, x.getType(), tables).cos(x);
      },
      cos);
}
