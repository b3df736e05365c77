//===- BFloat16.cpp - Arithmetic on bf16 ----------------------------------===//

#include "lib/Conversion/GPUToVector/BFloat16.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

static Value createConstant(ImplicitLocOpBuilder &builder, Type type, int64_t value) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  TypedAttr attribute = IntegerAttr::get(element, value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, attribute);
  return arith::ConstantOp::create(builder, attribute);
}

namespace {

/// f64 to bf16 or f16: rounded to odd in f32, which has more than twice the digits, so
/// that the second rounding is the only one. LLVM would call a function for f16.
struct TruncateDouble final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type result = getElementTypeOrSelf(op.getType());
    if (!getElementTypeOrSelf(x.getType()).isF64() ||
        !(result.isBF16() || result.isF16()))
      return rewriter.notifyMatchFailure(op, "expected f64 and a type of 16 bits");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type f32 = withElement(x.getType(), builder.getF32Type());
    Type i32 = withElement(x.getType(), builder.getI32Type());
    Value near = arith::TruncFOp::create(builder, f32, x);
    Value back = arith::ExtFOp::create(builder, x.getType(), near);
    auto isLarger = arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT,
                                          math::AbsFOp::create(builder, back),
                                          math::AbsFOp::create(builder, x));
    auto isInexact = arith::CmpFOp::create(builder, arith::CmpFPredicate::ONE, back, x);
    Value bits = arith::BitcastOp::create(builder, i32, near);
    Value one = createConstant(builder, i32, 1);
    Value below = arith::SubIOp::create(builder, bits, one);
    Value towardsZero = arith::SelectOp::create(builder, isLarger, below, bits);
    Value odd = arith::OrIOp::create(builder, towardsZero, one);
    Value chosen = arith::SelectOp::create(builder, isInexact, odd, bits);
    Value single = arith::BitcastOp::create(builder, f32, chosen);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
    return success();
  }
};

} // namespace

LogicalResult tinytc::expandBFloat16(Operation *module) {
  MLIRContext *context = module->getContext();
  Type bf16 = BFloat16Type::get(context), f32 = Float32Type::get(context);
  {
    TypeConverter converter;
    SetVector<Type> native;
    native.insert(f32);
    native.insert(Float64Type::get(context));
    native.insert(Float16Type::get(context));
    math::populateExtendToSupportedTypesTypeConverter(converter, native, f32);
    RewritePatternSet patterns(context);
    math::populateExtendToSupportedTypesPatterns(patterns, converter);
    ConversionTarget target(*context);
    math::populateExtendToSupportedTypesConversionTarget(target, converter);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return failure();
  }
  {
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(converter, {bf16}, f32);
    RewritePatternSet patterns(context);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(*context);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return failure();
  }
  RewritePatternSet patterns(context);
  arith::populateExpandBFloat16Patterns(patterns);
  patterns.add<TruncateDouble>(context);
  return applyPatternsGreedily(module, std::move(patterns));
}
