//===- CoopMatrixComponents.cpp - Components that a work-item holds -------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Casts, apply, construct, extract, insert and the prefetch of coopmatrices.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLoop.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// The components of a matrix in the order of another layout: component types and uses
/// may have different ones, in which the same work-item holds a component at another
/// place of its vector.
static SmallVector<Value> reorder(ValueRange components, const CoopMatrixLayout &source,
                                  const CoopMatrixLayout &dest) {
  SmallVector<Value> results;
  for (int64_t i = 0; i < dest.getNumComponents(); ++i)
    results.push_back(
        components[source.getPosition(dest.getBlock(i), dest.getStep(i))]);
  return results;
}

/// A conversion of each component.
template <typename Op, auto method>
struct CoopMatrixCastPattern final : CoopMatrixPattern<Op> {
  CoopMatrixCastPattern(const LinalgTypeConverter &converter, MLIRContext *context)
      : CoopMatrixPattern<Op>(converter, context, /*benefit=*/2) {}
  using Adaptor = typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto from = dyn_cast<CoopMatrixType>(op.getA().getType());
    auto to = dyn_cast<CoopMatrixType>(op.getType());
    if (!from || !to)
      return rewriter.notifyMatchFailure(op, "expected a cast of a coopmatrix");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CoopMatrixLayout source = this->getConverter().getLayout(from);
    CoopMatrixLayout dest = this->getConverter().getLayout(to);
    ScalarBuilder scalars(builder);
    auto convert = [&](Value component) {
      return (scalars.*method)(component, to.getElementType());
    };
    SmallVector<Value> results;
    if (dest.getNumComponents() > this->getConverter().getLimits().components)
      results = emitComponentLoop(
          builder, dest, MatrixOperand(source, adaptor.getA()), to.getElementType(),
          [&](Value, Value, ArrayRef<Value> x) { return convert(x.front()); });
    else
      for (Value component : reorder(adaptor.getA(), source, dest))
        results.push_back(convert(component));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// A division of integers, which traps for some divisors: not for those of padding.
template <typename Op, auto method>
struct CoopMatrixDivisionPattern final : CoopMatrixPattern<Op> {
  CoopMatrixDivisionPattern(const LinalgTypeConverter &converter, MLIRContext *context)
      : CoopMatrixPattern<Op>(converter, context, /*benefit=*/2) {}
  using Adaptor = typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<CoopMatrixType>(op.getType());
    if (!type || !type.getElementType().isIntOrIndex())
      return rewriter.notifyMatchFailure(op, "expected a coopmatrix of integers");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ScalarBuilder scalars(builder);
    CoopMatrixLane lane(builder, this->getConverter().getLayout(type));
    const CoopMatrixLayout &layout = lane.getLayout();
    SmallVector<Value> results;
    if (layout.getNumComponents() > this->getConverter().getLimits().components)
      results = emitComponentLoop(
          builder, layout, {{layout, adaptor.getA()}, {layout, adaptor.getB()}},
          type.getElementType(), [&](Value block, Value step, ArrayRef<Value> x) {
            Value condition = lane.isComponent(block, step);
            return (scalars.*method)(x[0], createSafeDivisor(builder, condition, x[1]));
          });
    else
      for (auto [i, a, b] : llvm::enumerate(adaptor.getA(), adaptor.getB())) {
        Value condition = lane.isComponent(int64_t(i));
        results.push_back(
            (scalars.*method)(a, createSafeDivisor(builder, condition, b)));
      }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct ConstructPattern final : CoopMatrixPattern<CooperativeMatrixConstructOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(CooperativeMatrixConstructOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t count = getConverter().getLayout(op.getType()).getNumComponents();
    rewriter.replaceOpWithMultiple(op,
                                   {SmallVector<Value>(count, adaptor.getScalar())});
    return success();
  }
};

struct ExtractPattern final : CoopMatrixPattern<CooperativeMatrixExtractOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(CooperativeMatrixExtractOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CoopMatrixLayout layout = getConverter().getLayout(op.getMatrix().getType());
    Value component = adaptor.getMatrix()[op.getIndex()];
    CoopMatrixLane lane(builder, layout);
    if (Value isComponent = lane.isComponent(op.getIndex())) {
      Value zero = ScalarBuilder(builder).constant(component.getType(), 0);
      component = arith::SelectOp::create(builder, isComponent, component, zero);
    }
    rewriter.replaceOp(op, component);
    return success();
  }
};

struct InsertPattern final : CoopMatrixPattern<CooperativeMatrixInsertOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(CooperativeMatrixInsertOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> components(adaptor.getMatrix());
    components[op.getIndex()] = adaptor.getScalar().front();
    rewriter.replaceOpWithMultiple(op, {components});
    return success();
  }
};

/// Neither linalg nor SPIR-V has a prefetch.
struct PrefetchPattern final : CoopMatrixPattern<CooperativeMatrixPrefetchOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(CooperativeMatrixPrefetchOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct ApplyPattern final : CoopMatrixPattern<CooperativeMatrixApplyOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  /// Copies of the region may hold such ops, one level less of them.
  void initialize() { setHasBoundedRewriteRecursion(); }

  LogicalResult matchAndRewrite(CooperativeMatrixApplyOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CoopMatrixLayout layout = getConverter().getLayout(op.getType());
    CoopMatrixLane lane(builder, layout);
    SmallVector<SmallVector<Value>> matrices;
    for (auto [matrix, components] :
         llvm::zip_equal(op.getMatrices(), adaptor.getMatrices())) {
      auto type = cast<CoopMatrixType>(matrix.getType());
      matrices.push_back(reorder(components, getConverter().getLayout(type), layout));
    }
    int64_t ops = 0;
    op.getBody().walk([&](Operation *) { ++ops; });
    SmallVector<Value> results =
        ops * layout.getNumComponents() <= getConverter().getLimits().appliedOps
            ? applyToAll(builder, op, lane, matrices)
            : applyInLoop(builder, op, lane, matrices);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// The components of each matrix, in the order of the result's layout.
  using Matrices = ArrayRef<SmallVector<Value>>;

  static SmallVector<Value> applyToAll(ImplicitLocOpBuilder &builder,
                                       CooperativeMatrixApplyOp op,
                                       CoopMatrixLane &lane, Matrices matrices) {
    const CoopMatrixLayout &layout = lane.getLayout();
    SmallVector<Value> results;
    for (int64_t position = 0; position < layout.getNumComponents(); ++position) {
      SmallVector<Value> components;
      for (const SmallVector<Value> &matrix : matrices)
        components.push_back(matrix[position]);
      results.push_back(apply(builder, op, lane.getRow(layout.getBlock(position)),
                              lane.getColumn(layout.getStep(position)), components,
                              lane.isComponent(position)));
    }
    return results;
  }

  static SmallVector<Value> applyInLoop(ImplicitLocOpBuilder &builder,
                                        CooperativeMatrixApplyOp op,
                                        CoopMatrixLane &lane, Matrices matrices) {
    const CoopMatrixLayout &layout = lane.getLayout();
    SmallVector<MatrixOperand> operands;
    for (const SmallVector<Value> &matrix : matrices)
      operands.emplace_back(layout, matrix);
    return emitComponentLoop(builder, layout, operands, layout.type.getElementType(),
                             [&](Value block, Value step, ArrayRef<Value> x) {
                               return apply(builder, op, lane.getRow(block),
                                            lane.getColumn(step), x,
                                            lane.isComponent(block, step));
                             });
  }

  /// The value yielded by a copy of the region, or zero where the component is padding.
  static Value apply(ImplicitLocOpBuilder &builder, CooperativeMatrixApplyOp op,
                     Value row, Value column, ArrayRef<Value> components,
                     Value condition) {
    Type i32 = builder.getI32Type();
    SmallVector<Value> arguments{arith::IndexCastOp::create(builder, i32, row),
                                 arith::IndexCastOp::create(builder, i32, column)};
    llvm::append_range(arguments, components);
    if (!condition || isPure(op))
      return cloneBody(builder, op, arguments);
    Type type = op.getType().getElementType();
    auto branch = scf::IfOp::create(builder, type, condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value result = cloneBody(builder, op, arguments);
    scf::YieldOp::create(builder, result);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, ScalarBuilder(builder).constant(type, 0));
    return branch.getResult(0);
  }

  static Value cloneBody(ImplicitLocOpBuilder &builder, CooperativeMatrixApplyOp op,
                         ArrayRef<Value> arguments) {
    IRMapping mapping;
    mapping.map(op.getBody().getArguments(), arguments);
    for (Operation &nested : op.getBody().front().without_terminator())
      builder.clone(nested, mapping);
    auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
    return mapping.lookupOrDefault(yield.getValues().front());
  }
};

} // namespace

void tinytc::populateCoopMatrixComponentPatterns(const LinalgTypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns
      .add<CoopMatrixCastPattern<CastOp, &ScalarBuilder::cast>,
           CoopMatrixCastPattern<BitcastOp, &ScalarBuilder::bitcast>,
           CoopMatrixDivisionPattern<ArithDivOp, &ScalarBuilder::div>,
           CoopMatrixDivisionPattern<ArithRemOp, &ScalarBuilder::rem>, ConstructPattern,
           ExtractPattern, InsertPattern, PrefetchPattern, ApplyPattern>(
          converter, patterns.getContext());
}
