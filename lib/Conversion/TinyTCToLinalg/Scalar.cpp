//===- Scalar.cpp - Scalar instructions -> arith, math, complex -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions on coopmatrices are the scalar ones, applied to each component that a
// work-item holds.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLoop.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Applies `emit` to the operands component by component.
template <typename Op, auto emit>
struct ComponentwisePattern final : CoopMatrixPattern<Op> {
  using CoopMatrixPattern<Op>::CoopMatrixPattern;
  using Adaptor = typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ScalarBuilder scalars(builder);
    auto operands = adaptor.getOperands();
    SmallVector<Value> results;
    if (int64_t(operands.front().size()) >
        this->getConverter().getLimits().components) {
      rewriter.replaceOpWithMultiple(op, {emitLoop(op, operands, scalars, builder)});
      return success();
    }
    for (size_t i = 0; i < operands.front().size(); ++i) {
      SmallVector<Value, 2> components;
      for (ValueRange operand : operands)
        components.push_back(operand[i]);
      results.push_back(emit(op, scalars, builder, components));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  SmallVector<Value> emitLoop(Op op, ArrayRef<ValueRange> operands,
                              ScalarBuilder &scalars,
                              ImplicitLocOpBuilder &builder) const {
    auto getLayout = [&](Type type) {
      return this->getConverter().getLayout(cast<CoopMatrixType>(type));
    };
    SmallVector<MatrixOperand> matrices;
    for (auto [operand, components] : llvm::zip_equal(op->getOperands(), operands))
      matrices.emplace_back(getLayout(operand.getType()), components);
    Type type = op->getResult(0).getType();
    return emitComponentLoop(builder, getLayout(type), matrices, getScalarType(type),
                             [&](Value, Value, ArrayRef<Value> components) {
                               return emit(op, scalars, builder, components);
                             });
  }
};

using Components = ArrayRef<Value>;

/// A member function of ScalarBuilder with one to three operands.
template <typename Op, auto method>
Value emitWithBuilder(Op, ScalarBuilder &scalars, ImplicitLocOpBuilder &,
                      Components x) {
  using Method = decltype(method);
  if constexpr (std::is_invocable_v<Method, ScalarBuilder, Value, Value, Value>)
    return (scalars.*method)(x[0], x[1], x[2]);
  else if constexpr (std::is_invocable_v<Method, ScalarBuilder, Value, Value>)
    return (scalars.*method)(x[0], x[1]);
  else
    return (scalars.*method)(x[0]);
}

/// An op of another dialect with the same operands and result type.
template <typename Op, typename Target>
Value emitOp(Op op, ScalarBuilder &, ImplicitLocOpBuilder &builder, Components x) {
  return Target::create(builder, TypeRange(x[0].getType()), x)->getResult(0);
}

/// An op that extracts a part of a complex number.
template <typename Op, typename Target>
Value emitPart(Op op, ScalarBuilder &, ImplicitLocOpBuilder &builder, Components x) {
  return Target::create(builder, x[0]);
}

Value emitNot(ArithNotOp op, ScalarBuilder &, ImplicitLocOpBuilder &builder,
              Components x) {
  // Every bit set, true for bool.
  auto ones = IntegerAttr::get(x[0].getType(), -1);
  Value mask = arith::ConstantOp::create(builder, ones);
  return arith::XOrIOp::create(builder, x[0], mask);
}

/// Shift by a distance modulo the width of the type; the op of arith has no result for
/// larger distances.
template <typename Op, typename Target>
Value emitShift(Op op, ScalarBuilder &scalars, ImplicitLocOpBuilder &builder,
                Components x) {
  Type type = x[1].getType();
  int64_t bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                : type.getIntOrFloatBitWidth();
  Value distance =
      builder.createOrFold<arith::AndIOp>(x[1], scalars.constant(type, bits - 1));
  return Target::create(builder, x[0], distance);
}

Value emitCast(CastOp op, ScalarBuilder &scalars, ImplicitLocOpBuilder &,
               Components x) {
  return scalars.cast(x[0], getScalarType(op.getType()));
}

Value emitBitcast(BitcastOp op, ScalarBuilder &scalars, ImplicitLocOpBuilder &,
                  Components x) {
  return scalars.bitcast(x[0], getScalarType(op.getType()));
}

Value emitSelect(SelectOp, ScalarBuilder &, ImplicitLocOpBuilder &builder,
                 Components x) {
  return arith::SelectOp::create(builder, x[0], x[1], x[2]);
}

template <typename Op, MathFunction function, bool native>
Value emitMath(Op, ScalarBuilder &scalars, ImplicitLocOpBuilder &, Components x) {
  return scalars.apply(function, x[0], native);
}

/// Comparison; NaN is unequal to everything and unordered.
template <typename Op, arith::CmpIPredicate integer, arith::CmpFPredicate floating>
Value emitCmp(Op op, ScalarBuilder &, ImplicitLocOpBuilder &builder, Components x) {
  if (isa<ComplexType>(x[0].getType())) {
    if (integer == arith::CmpIPredicate::eq)
      return complex::EqualOp::create(builder, x[0], x[1]);
    return complex::NotEqualOp::create(builder, x[0], x[1]);
  }
  if (isa<FloatType>(x[0].getType()))
    return arith::CmpFOp::create(builder, floating, x[0], x[1]);
  return arith::CmpIOp::create(builder, integer, x[0], x[1]);
}

struct ConstantPattern final : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (isa<MemrefType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a number");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    Type type = getScalarType(op.getType());
    Value value;
    if (isa<ComplexType>(type))
      value = complex::ConstantOp::create(rewriter, op.getLoc(), type,
                                          cast<ArrayAttr>(op.getValue()));
    else
      value = arith::ConstantOp::create(rewriter, op.getLoc(),
                                        cast<TypedAttr>(op.getValue()));
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(types.size(), value)});
    return success();
  }
};

/// Adds patterns that call the ScalarBuilder method of the same meaning.
template <typename Op, auto method>
void addArith(const LinalgTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ComponentwisePattern<Op, emitWithBuilder<Op, method>>>(
      converter, patterns.getContext());
}

template <typename Op, typename Target>
void addSameOp(const LinalgTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ComponentwisePattern<Op, emitOp<Op, Target>>>(converter,
                                                             patterns.getContext());
}

template <typename Op, typename Target>
void addShift(const LinalgTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ComponentwisePattern<Op, emitShift<Op, Target>>>(converter,
                                                                patterns.getContext());
}

template <typename Op, arith::CmpIPredicate integer, arith::CmpFPredicate floating>
void addCmp(const LinalgTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ComponentwisePattern<Op, emitCmp<Op, integer, floating>>>(
      converter, patterns.getContext());
}

template <typename Op, MathFunction function>
void addFunction(const LinalgTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ComponentwisePattern<Op, emitMath<Op, function, false>>>(
      converter, patterns.getContext());
}

/// A function and its native form.
template <typename Op, typename NativeOp, MathFunction function>
void addMath(const LinalgTypeConverter &converter, RewritePatternSet &patterns) {
  addFunction<Op, function>(converter, patterns);
  patterns.add<ComponentwisePattern<NativeOp, emitMath<NativeOp, function, true>>>(
      converter, patterns.getContext());
}

} // namespace

void tinytc::populateScalarPatterns(const LinalgTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  addArith<ArithAddOp, &ScalarBuilder::add>(converter, patterns);
  addArith<ArithSubOp, &ScalarBuilder::sub>(converter, patterns);
  addArith<ArithMulOp, &ScalarBuilder::mul>(converter, patterns);
  addArith<ArithDivOp, &ScalarBuilder::div>(converter, patterns);
  addArith<ArithRemOp, &ScalarBuilder::rem>(converter, patterns);
  addArith<ArithMinOp, &ScalarBuilder::min>(converter, patterns);
  addArith<ArithMaxOp, &ScalarBuilder::max>(converter, patterns);
  addArith<ArithAbsOp, &ScalarBuilder::abs>(converter, patterns);
  addArith<ArithNegOp, &ScalarBuilder::neg>(converter, patterns);
  addShift<ArithShlOp, arith::ShLIOp>(converter, patterns);
  addShift<ArithShrOp, arith::ShRSIOp>(converter, patterns);
  addSameOp<ArithAndOp, arith::AndIOp>(converter, patterns);
  addSameOp<ArithOrOp, arith::OrIOp>(converter, patterns);
  addSameOp<ArithXorOp, arith::XOrIOp>(converter, patterns);
  addSameOp<ArithConjOp, complex::ConjOp>(converter, patterns);
  using arith::CmpFPredicate;
  using arith::CmpIPredicate;
  addCmp<CmpEqOp, CmpIPredicate::eq, CmpFPredicate::OEQ>(converter, patterns);
  addCmp<CmpNeOp, CmpIPredicate::ne, CmpFPredicate::UNE>(converter, patterns);
  addCmp<CmpGtOp, CmpIPredicate::sgt, CmpFPredicate::OGT>(converter, patterns);
  addCmp<CmpGeOp, CmpIPredicate::sge, CmpFPredicate::OGE>(converter, patterns);
  addCmp<CmpLtOp, CmpIPredicate::slt, CmpFPredicate::OLT>(converter, patterns);
  addCmp<CmpLeOp, CmpIPredicate::sle, CmpFPredicate::OLE>(converter, patterns);
  addMath<MathCosOp, MathNativeCosOp, MathFunction::Cos>(converter, patterns);
  addMath<MathExpOp, MathNativeExpOp, MathFunction::Exp>(converter, patterns);
  addMath<MathExp2Op, MathNativeExp2Op, MathFunction::Exp2>(converter, patterns);
  addMath<MathLogOp, MathNativeLogOp, MathFunction::Log>(converter, patterns);
  addMath<MathLog2Op, MathNativeLog2Op, MathFunction::Log2>(converter, patterns);
  addMath<MathSinOp, MathNativeSinOp, MathFunction::Sin>(converter, patterns);
  addFunction<SqrtOp, MathFunction::Sqrt>(converter, patterns);
  addFunction<RsqrtOp, MathFunction::Rsqrt>(converter, patterns);
  addFunction<TanhOp, MathFunction::Tanh>(converter, patterns);
  addFunction<Expm1Op, MathFunction::Expm1>(converter, patterns);
  addFunction<Log1pOp, MathFunction::Log1p>(converter, patterns);
  addFunction<FloorOp, MathFunction::Floor>(converter, patterns);
  addFunction<CeilOp, MathFunction::Ceil>(converter, patterns);
  addArith<PowOp, &ScalarBuilder::pow>(converter, patterns);
  addArith<HypotOp, &ScalarBuilder::hypot>(converter, patterns);
  addArith<FmaOp, &ScalarBuilder::fma>(converter, patterns);
  addArith<MinimumOp, &ScalarBuilder::minimum>(converter, patterns);
  addArith<MaximumOp, &ScalarBuilder::maximum>(converter, patterns);
  patterns.add<ComponentwisePattern<ArithReOp, emitPart<ArithReOp, complex::ReOp>>,
               ComponentwisePattern<ArithImOp, emitPart<ArithImOp, complex::ImOp>>,
               ComponentwisePattern<ArithNotOp, emitNot>,
               ComponentwisePattern<CastOp, emitCast>,
               ComponentwisePattern<BitcastOp, emitBitcast>,
               ComponentwisePattern<SelectOp, emitSelect>, ConstantPattern>(
      converter, patterns.getContext());
}
