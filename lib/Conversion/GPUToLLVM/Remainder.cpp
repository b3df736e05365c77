//===- Remainder.cpp - The remainder of floating-point numbers ------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// LLVM's backend writes x - trunc(x / y) y, whose rounded quotient is wrong where it
// rounds up to an integer or has more digits than the type.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToLLVM/Patterns.h"
#include "lib/Conversion/GPUToLLVM/RealBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Long division of positive numbers. A digit is an integer q that has at least one bit
/// less than a mantissa: the rounded quotient of the rest r and d = b 2^n is then off
/// by one at most, and r - q d is a number of the type, so that a fused multiply-add
/// computes it exactly.
class LongDivision {
public:
  LongDivision(RealBuilder &real, Value b) : real(real), b(b) {
    int64_t mantissaBits = real.getMantissaBits();
    Value isSubnormal = real.compare(arith::CmpFPredicate::OLT, b,
                                     real.real(real.isSingle() ? 0x1p-126 : 0x1p-1022));
    Value factor = real.real(real.isSingle() ? 0x1p23 : 0x1p52);
    Value normal = real.select(isSubnormal, real.mul(b, factor), b);
    Value exponent = real.subI(
        real.getExponent(normal),
        real.select(isSubnormal, real.integer(mantissaBits), real.integer(0)));
    lastExponent = real.addI(exponent, real.integer(mantissaBits - 1));
  }

  /// The rest of `r`, which is at least b, after one digit: less than d, which
  /// is b itself for the last digit.
  Value reduce(Value r) {
    Value n = real.subI(real.getExponent(r), lastExponent);
    n = arith::MaxSIOp::create(real.builder, n, real.integer(0));
    Value d = real.scale(b, n);
    Value q = real.trunc(real.div(r, d));
    Value rest = real.fma(real.neg(q), d, r);
    Value isNegative = real.compare(arith::CmpFPredicate::OLT, rest, real.real(0));
    return real.select(isNegative, real.add(rest, d), rest);
  }

private:
  RealBuilder &real;
  Value b;
  /// The largest exponent of what one digit divides by b.
  Value lastExponent;
};

} // namespace

/// Reduces `a` while `condition` holds and it is at least `b`.
static Value reduceWhile(RealBuilder &real, Value condition, Value a, Value b) {
  ImplicitLocOpBuilder &builder = real.builder;
  LongDivision division(real, b);
  // Create the loop before its body: the conversion visits ops in order of creation.
  auto loop = scf::WhileOp::create(builder, TypeRange(real.type), ValueRange(a));
  OpBuilder::InsertionGuard guard(builder);
  Block *before =
      builder.createBlock(&loop.getBefore(), {}, real.type, builder.getLoc());
  Value rest = before->getArgument(0);
  Value isLarge = real.compare(arith::CmpFPredicate::OGE, rest, b);
  scf::ConditionOp::create(builder, arith::AndIOp::create(builder, condition, isLarge),
                           rest);
  Block *after = builder.createBlock(&loop.getAfter(), {}, real.type, builder.getLoc());
  scf::YieldOp::create(builder, division.reduce(after->getArgument(0)));
  return loop.getResult(0);
}

/// x - trunc(x / y) y without any rounding, in f32 or f64.
static Value emitRemainder(ImplicitLocOpBuilder &builder, Value x, Value y) {
  RealBuilder real(builder, x.getType());
  Value a = real.abs(x), b = real.abs(y);
  Value infinity = real.real(std::numeric_limits<double>::infinity());
  // False for NaN, too.
  Value isDefined = arith::AndIOp::create(
      builder, real.compare(arith::CmpFPredicate::OLT, a, infinity),
      real.compare(arith::CmpFPredicate::OGT, b, real.real(0)));
  Value rest = reduceWhile(real, isDefined, a, b);
  return real.select(isDefined, math::CopySignOp::create(builder, rest, x),
                     real.real(std::numeric_limits<double>::quiet_NaN()));
}

/// That of bf16, which is the upper half of f32: processors may convert subnormal
/// numbers to 0.
static Value emitOfUpperHalves(ImplicitLocOpBuilder &builder, Value x, Value y) {
  Type i16 = builder.getI16Type(), i32 = builder.getI32Type();
  Value width = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(16));
  auto extend = [&](Value value) -> Value {
    Value bits = arith::BitcastOp::create(builder, i16, value);
    bits = arith::ExtUIOp::create(builder, i32, bits);
    bits = arith::ShLIOp::create(builder, bits, width);
    return arith::BitcastOp::create(builder, builder.getF32Type(), bits);
  };
  Value result = emitRemainder(builder, extend(x), extend(y));
  Value bits = arith::BitcastOp::create(builder, i32, result);
  bits = arith::ShRUIOp::create(builder, bits, width);
  bits = arith::TruncIOp::create(builder, i16, bits);
  return arith::BitcastOp::create(builder, x.getType(), bits);
}

namespace {

struct RemFPattern final : OpConversionPattern<arith::RemFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::RemFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "expected a number of at most 64 bits");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    // A remainder has no more digits than its operands, so that it is exact in a wider
    // type, too.
    if (type.isBF16()) {
      rewriter.replaceOp(op, emitOfUpperHalves(builder, x, y));
      return success();
    }
    bool isNarrow = type.getWidth() < 32;
    if (isNarrow) {
      x = arith::ExtFOp::create(builder, builder.getF32Type(), x);
      y = arith::ExtFOp::create(builder, builder.getF32Type(), y);
    }
    Value result = emitRemainder(builder, x, y);
    if (isNarrow)
      result = arith::TruncFOp::create(builder, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void tinytc::populateRemainderPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<RemFPattern>(converter, patterns.getContext());
}
