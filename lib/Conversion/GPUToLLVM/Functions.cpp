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

using namespace mlir;
using namespace mlir::tinytc;

namespace {

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

/// A function without an approximation.
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
      [tables](Builder &b, Value x) { return emitSine(b, x, tables); }, sin);
  patterns.add<FunctionPattern<math::CosOp>>(
      converter, context,
      [tables](Builder &b, Value x) { return emitCosine(b, x, tables); }, cos);
}
