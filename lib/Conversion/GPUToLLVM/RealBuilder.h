//===- RealBuilder.h - Arithmetic of functions of math ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOLLVM_REALBUILDER_H
#define TINYTC_LIB_CONVERSION_GPUTOLLVM_REALBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// Arithmetic on f32 or f64 and on the integers of the same width.
class RealBuilder {
public:
  RealBuilder(ImplicitLocOpBuilder &builder, Type type)
      : builder(builder), type(cast<FloatType>(type)),
        bitsType(builder.getIntegerType(type.getIntOrFloatBitWidth())) {}

  bool isSingle() const { return type.isF32(); }
  /// Bits of the mantissa that are stored, and the exponent of 1.
  int64_t getMantissaBits() const { return isSingle() ? 23 : 52; }
  int64_t getBias() const { return isSingle() ? 127 : 1023; }

  Value real(double value) {
    return arith::ConstantOp::create(builder, builder.getFloatAttr(type, value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(builder, IntegerAttr::get(bitsType, value));
  }

  Value add(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, a, b); }
  Value fma(Value a, Value b, Value c) { return math::FmaOp::create(builder, a, b, c); }
  Value neg(Value a) { return arith::NegFOp::create(builder, a); }
  Value abs(Value a) { return math::AbsFOp::create(builder, a); }
  Value trunc(Value a) { return math::TruncOp::create(builder, a); }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, condition, a, b);
  }

  Value addI(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value subI(Value a, Value b) { return arith::SubIOp::create(builder, a, b); }
  Value andI(Value a, Value b) { return arith::AndIOp::create(builder, a, b); }
  Value shiftLeft(Value a, int64_t n) {
    return arith::ShLIOp::create(builder, a, integer(n));
  }
  Value shiftRight(Value a, int64_t n) {
    return arith::ShRSIOp::create(builder, a, integer(n));
  }

  /// The exponent of a positive number, plus the bias; 0 if it is subnormal.
  Value getExponent(Value a) { return shiftRight(toBits(a), getMantissaBits()); }

  Value toBits(Value a) { return arith::BitcastOp::create(builder, bitsType, a); }
  Value fromBits(Value a) { return arith::BitcastOp::create(builder, type, a); }

  /// c[0] + x (c[1] + x (c[2] + ...)).
  Value polynomial(Value x, ArrayRef<double> c) {
    Value sum = real(c.back());
    for (double each : llvm::reverse(c.drop_back()))
      sum = fma(x, sum, real(each));
    return sum;
  }

  /// A number whose integers are the distances of its neighbours: added to another
  /// number, it rounds that one to an integer, which its bits then hold.
  double getRounder() const { return isSingle() ? 0x1.8p23 : 0x1.8p52; }

  /// x 2^n in two steps, so that a subnormal result is rounded once and neither factor
  /// overflows.
  Value scale(Value x, Value n) {
    Value half = shiftRight(n, 1), rest = subI(n, half);
    for (Value part : {half, rest}) {
      Value bits = shiftLeft(addI(part, integer(getBias())), getMantissaBits());
      x = mul(x, fromBits(bits));
    }
    return x;
  }

  /// `x` within bounds; a NaN stays one.
  Value clamp(Value x, double low, double high) {
    Value isHigh = compare(arith::CmpFPredicate::OGT, x, real(high));
    x = select(isHigh, real(high), x);
    Value isLow = compare(arith::CmpFPredicate::OLT, x, real(low));
    return select(isLow, real(low), x);
  }

  /// Whether sums and products with 1 change nothing.
  Value isTiny(Value x) {
    return compare(arith::CmpFPredicate::OLT, abs(x),
                   real(isSingle() ? 0x1p-25 : 0x1p-54));
  }

  Value exp(Value x);
  /// 2^(x + low), where `low` is small.
  Value exp2(Value x, Value low = {});
  Value expm1(Value x);
  Value log(Value x) { return logarithm(x, /*isBase2=*/false); }
  Value log1p(Value x);
  Value log2(Value x) { return logarithm(x, /*isBase2=*/true); }
  Value pow(Value x, Value y);
  Value rsqrt(Value x) { return div(real(1), math::SqrtOp::create(builder, x)); }
  Value tanh(Value x);

  ImplicitLocOpBuilder &builder;
  FloatType type;
  IntegerType bitsType;

private:
  /// x = m 2^k with m from sqrt(1/2) to sqrt(2); f = m - 1.
  struct Split {
    Value f, k;
  };
  /// A number as an unevaluated sum, where `low` is at most half a unit of `high`.
  struct Sum {
    Value high, low;
  };

  /// x = n log(2) + r, where the bits of `shifted` and `rounder` differ by n.
  struct Reduced {
    Value r, shifted, rounder;
  };

  Split split(Value x);
  Reduced reduce(Value x);
  /// The logarithm of x + `low`, where `low` is at most half a unit of x.
  Value logarithm(Value x, bool isBase2, Value low = {});
  /// log2(x) of a positive number with about twice the bits of the type.
  Sum preciseLog2(Value x);
  Sum addSmaller(Value a, Value b) {
    Value sum = add(a, b);
    return {sum, add(sub(a, sum), b)};
  }
  /// The product of a sum and a sum.
  Sum mul(Sum a, Sum b) {
    Value product = mul(a.high, b.high);
    Value error = fma(a.high, b.high, neg(product));
    return {product, fma(a.high, b.low, fma(a.low, b.high, error))};
  }
};

/// The sine and the cosine of f32 or f64. `tableSpace` is the address space of
/// constants.
Value emitSine(ImplicitLocOpBuilder &builder, Value x, unsigned tableSpace);
Value emitCosine(ImplicitLocOpBuilder &builder, Value x, unsigned tableSpace);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOLLVM_REALBUILDER_H
