//===- HalfPrecision.cpp - Arithmetic on bf16 and f16 ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/HalfPrecision.h"
#include "dialect/TinyTC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

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

/// The fma of f16 in f64, where products are exact and a sum that is rounded is
/// never near the middle of two numbers of f16. In f32, they would be rounded twice.
struct WidenMultiplyAdd final : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    bool mayRound =
        bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::contract);
    if (!getElementTypeOrSelf(op.getType()).isF16() || mayRound)
      return rewriter.notifyMatchFailure(op, "expected fma of f16");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type f64 = withElement(op.getType(), builder.getF64Type());
    auto widen = [&](Value x) { return arith::ExtFOp::create(builder, f64, x); };
    Value product = arith::MulFOp::create(builder, widen(op.getA()), widen(op.getB()));
    Value sum = arith::AddFOp::create(builder, product, widen(op.getC()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), sum);
    return success();
  }
};

/// Operations on bits of 32 for conversions of f16.
class BitBuilder {
public:
  BitBuilder(Location loc, PatternRewriter &rewriter, Type like)
      : builder(loc, rewriter), i16(withElement(like, builder.getI16Type())),
        i32(withElement(like, builder.getI32Type())),
        f32(withElement(like, builder.getF32Type())) {}

  Value number(uint32_t value) { return createConstant(builder, i32, int32_t(value)); }
  Value mask(Value x, uint32_t bits) {
    return arith::AndIOp::create(builder, x, number(bits));
  }
  Value left(Value x, uint32_t count) {
    return arith::ShLIOp::create(builder, x, number(count));
  }
  Value right(Value x, uint32_t count) {
    return arith::ShRUIOp::create(builder, x, number(count));
  }
  Value isBelow(Value x, uint32_t bound) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, x, number(bound));
  }
  Value cast(Type type, Value x) { return arith::BitcastOp::create(builder, type, x); }
  /// The bits of the number of f32 that has the bits `x`.
  Value asReal(Value x) { return cast(f32, x); }
  Value asBits(Value x) { return cast(i32, x); }

  ImplicitLocOpBuilder builder;
  Type i16, i32, f32;
};

/// f16 to a wider type: the bits move to their place, and a product corrects the
/// exponent, of subnormal numbers, too.
struct ExpandFromF16 final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "expected f16");
    BitBuilder bits(op.getLoc(), rewriter, x.getType());
    ImplicitLocOpBuilder &builder = bits.builder;
    Value all = arith::ExtUIOp::create(builder, bits.i32, bits.cast(bits.i16, x));
    Value magnitude = bits.mask(all, 0x7fff), moved = bits.left(magnitude, 13);
    Value scale = bits.asReal(bits.number(0x77800000)); // 2^112
    Value finite =
        bits.asBits(arith::MulFOp::create(builder, bits.asReal(moved), scale));
    Value special = arith::OrIOp::create(builder, moved, bits.number(0x7f800000));
    Value result = arith::SelectOp::create(builder, bits.isBelow(magnitude, 0x7c00),
                                           finite, special);
    Value sign = bits.left(bits.mask(all, 0x8000), 16);
    Value single = bits.asReal(arith::OrIOp::create(builder, result, sign));
    if (getElementTypeOrSelf(op.getType()).isF64())
      single = arith::ExtFOp::create(builder, op.getType(), single);
    rewriter.replaceOp(op, single);
    return success();
  }
};

/// f32 to f16, to nearest and ties to even: normal numbers by a sum that carries into
/// the bits that stay, and those that become subnormal by the sum with 0.5, whose last
/// bit is that of f16.
struct ExpandToF16 final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF32() ||
        !getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "expected f32 and f16");
    BitBuilder bits(op.getLoc(), rewriter, x.getType());
    ImplicitLocOpBuilder &builder = bits.builder;
    Value all = bits.asBits(x), magnitude = bits.mask(all, 0x7fffffff);
    Value half = bits.asReal(bits.number(0x3f000000)); // 0.5
    Value sum = arith::AddFOp::create(builder, bits.asReal(magnitude), half);
    Value small =
        arith::SubIOp::create(builder, bits.asBits(sum), bits.number(0x3f000000));
    Value odd = bits.mask(bits.right(magnitude, 13), 1);
    Value normal = // less 112 in the exponent, and nearly half a unit
        arith::AddIOp::create(builder, magnitude, bits.number(0xc8000fff));
    normal = bits.right(arith::AddIOp::create(builder, normal, odd), 13);
    Value finite = arith::SelectOp::create(builder, bits.isBelow(magnitude, 0x38800000),
                                           small, normal);
    Value payload = bits.mask(bits.right(magnitude, 13), 0x3ff);
    Value nan = arith::OrIOp::create(builder, payload, bits.number(0x7e00));
    Value special = arith::SelectOp::create(
        builder, bits.isBelow(magnitude, 0x7f800001), bits.number(0x7c00), nan);
    Value result = arith::SelectOp::create(builder, bits.isBelow(magnitude, 0x47800000),
                                           finite, special);
    Value sign = bits.mask(bits.right(all, 16), 0x8000);
    result = arith::OrIOp::create(builder, result, sign);
    Value word = arith::TruncIOp::create(builder, bits.i16, result);
    rewriter.replaceOp(op, bits.cast(op.getType(), word));
    return success();
  }
};

} // namespace

/// Lets math functions of some types be those of f32.
static LogicalResult extendFunctions(Operation *module, ArrayRef<Type> halves) {
  MLIRContext *context = module->getContext();
  Type f32 = Float32Type::get(context), f16 = Float16Type::get(context);
  TypeConverter converter;
  SetVector<Type> native;
  native.insert(f32);
  native.insert(Float64Type::get(context));
  if (!llvm::is_contained(halves, f16))
    native.insert(f16);
  math::populateExtendToSupportedTypesTypeConverter(converter, native, f32);
  RewritePatternSet patterns(context);
  math::populateExtendToSupportedTypesPatterns(patterns, converter);
  ConversionTarget target(*context);
  math::populateExtendToSupportedTypesConversionTarget(target, converter);
  target.addDynamicallyLegalOp<math::FmaOp>(
      [&](Operation *op) { return converter.isLegal(op); });
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Lets arithmetic on some types be that of f32.
static LogicalResult emulateArithmetic(Operation *module, ArrayRef<Type> halves) {
  MLIRContext *context = module->getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, halves,
                                                     Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  return applyPartialConversion(module, target, std::move(patterns));
}

/// The bits of a constant, which may be a vector.
static Attribute getBits(Attribute constant, Type bits) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
  return cast<DenseElementsAttr>(constant).bitcast(bits);
}

/// Lets values of some types, in registers, in memory and in constants, be their bits.
static void carryBits(Operation *module, ArrayRef<Type> halves) {
  Type bits = IntegerType::get(module->getContext(), 16);
  auto isHalf = [&](Type type) { return llvm::is_contained(halves, type); };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FloatType type) -> std::optional<Type> {
    return isHalf(type) ? std::optional(bits) : std::nullopt;
  });
  // Arguments of launches stay as they are.
  replacer.addReplacement([](tinytc::ManifestAttr manifest) {
    return std::optional(
        std::pair<Attribute, WalkResult>(manifest, WalkResult::skip()));
  });
  replacer.addReplacement([&](TypedAttr constant) -> std::optional<Attribute> {
    if (!isa<FloatAttr, DenseElementsAttr>(constant) ||
        !isHalf(getElementTypeOrSelf(constant.getType())))
      return std::nullopt;
    return getBits(constant, bits);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false, /*replaceTypes=*/true);
}

/// Lets conversions that remain, which instructions do, be from bits and to bits.
static void convertBits(Operation *module) {
  Type f16 = Float16Type::get(module->getContext());
  auto isBits = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isInteger();
  };
  module->walk([&](Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    if (auto extend = dyn_cast<arith::ExtFOp>(op); extend && isBits(extend.getIn())) {
      Type half = withElement(extend.getIn().getType(), f16);
      Value number = arith::BitcastOp::create(builder, half, extend.getIn());
      extend.getInMutable().assign(number);
    } else if (auto truncate = dyn_cast<arith::TruncFOp>(op);
               truncate && isBits(truncate.getOut())) {
      Value number = truncate.getOut();
      Type bits = number.getType();
      number.setType(withElement(bits, f16));
      builder.setInsertionPointAfter(op);
      auto cast = arith::BitcastOp::create(builder, bits, number);
      number.replaceAllUsesExcept(cast, cast);
    }
  });
}

namespace {
/// What an instruction takes, and its type.
struct InstructionOperand {
  OpOperand *operand;
  Type type;
};
} // namespace

static SmallVector<InstructionOperand> findInstructionOperands(Operation *module,
                                                               ArrayRef<Type> halves) {
  SmallVector<InstructionOperand> found;
  module->walk([&](LLVM::CallIntrinsicOp call) {
    for (OpOperand &operand : call->getOpOperands())
      if (Type type = operand.get().getType();
          llvm::is_contained(halves, getElementTypeOrSelf(type)))
        found.push_back({&operand, type});
  });
  return found;
}

/// Gives instructions numbers instead of their bits.
static void convertOperands(ArrayRef<InstructionOperand> operands) {
  for (auto [operand, type] : operands) {
    ImplicitLocOpBuilder builder(operand->getOwner()->getLoc(), operand->getOwner());
    operand->set(vector::BitCastOp::create(builder, type, operand->get()));
  }
}

/// A minimum or maximum is one of two numbers. LLVM would narrow the function of f32 to
/// f16, and call one of the C library for that.
static void chooseNumbers(Operation *module, ArrayRef<Type> halves) {
  module->walk([&](Operation *op) {
    if (!isa<arith::MaxNumFOp, arith::MinNumFOp>(op) ||
        !llvm::is_contained(halves, getElementTypeOrSelf(op->getResult(0))))
      return;
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Value a = op->getOperand(0), b = op->getOperand(1);
    auto predicate = isa<arith::MaxNumFOp>(op) ? arith::CmpFPredicate::OGT
                                               : arith::CmpFPredicate::OLT;
    Value isBeyond = arith::CmpFOp::create(builder, predicate, a, b);
    Value isNaN = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, b, b);
    Value takesFirst = arith::OrIOp::create(builder, isBeyond, isNaN);
    Value chosen = arith::SelectOp::create(builder, takesFirst, a, b);
    op->replaceAllUsesWith(ValueRange{chosen});
    op->erase();
  });
}

LogicalResult tinytc::expandHalfPrecision(Operation *module, const Target &target) {
  MLIRContext *context = module->getContext();
  SmallVector<Type> halves{BFloat16Type::get(context)};
  if (!target.computesF16)
    halves.push_back(Float16Type::get(context));
  chooseNumbers(module, halves);
  if (!target.computesF16) {
    RewritePatternSet patterns(context);
    patterns.add<WidenMultiplyAdd>(context);
    walkAndApplyPatterns(module, std::move(patterns));
  }
  if (failed(extendFunctions(module, halves)) ||
      failed(emulateArithmetic(module, halves)))
    return failure();
  RewritePatternSet patterns(context);
  arith::populateExpandBFloat16Patterns(patterns);
  patterns.add<TruncateDouble>(context);
  if (!target.convertsF16)
    patterns.add<ExpandFromF16, ExpandToF16>(context);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return failure();
  SmallVector<InstructionOperand> operands = findInstructionOperands(module, halves);
  carryBits(module, halves);
  convertBits(module);
  convertOperands(operands);
  return success();
}
