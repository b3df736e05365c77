//===- CoopMatrixComponents.cpp - Components that a work-item holds -------===//
//
// Casts, apply, construct, extract, insert and the prefetch of coopmatrices.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/PrivateArray.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The largest number of ops that an apply is written out to; more of them are a loop
/// over the components.
static constexpr int64_t kMaxAppliedOps = 1024;

namespace {

/// Component types and uses may have different layouts, in which the same work-item
/// holds a component at another place of its vector.
struct CoopMatrixCastPattern final : CoopMatrixPattern<CastOp> {
  CoopMatrixCastPattern(const LinalgTypeConverter &converter, MLIRContext *context)
      : CoopMatrixPattern(converter, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(CastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto from = dyn_cast<CoopMatrixType>(op.getA().getType());
    auto to = dyn_cast<CoopMatrixType>(op.getType());
    if (!from || !to)
      return rewriter.notifyMatchFailure(op, "expected a cast of a coopmatrix");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CoopMatrixLayout source = getConverter().getLayout(from);
    CoopMatrixLayout dest = getConverter().getLayout(to);
    SmallVector<Value> results;
    for (int64_t i = 0; i < dest.getNumComponents(); ++i) {
      int64_t position = source.getPosition(dest.getBlock(i), dest.getStep(i));
      results.push_back(
          ScalarBuilder(builder).cast(adaptor.getA()[position], to.getElementType()));
    }
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
    SmallVector<Value> results;
    for (auto [i, a, b] : llvm::enumerate(adaptor.getA(), adaptor.getB())) {
      Value divisor = createSafeDivisor(builder, lane, i, b);
      results.push_back((scalars.*method)(a, divisor));
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

  LogicalResult matchAndRewrite(CooperativeMatrixApplyOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CoopMatrixLane lane(builder, getConverter().getLayout(op.getMatrix().getType()));
    SmallVector<Value> components(adaptor.getMatrix());
    int64_t ops = 0;
    op.getBody().walk([&](Operation *) { ++ops; });
    if (ops * int64_t(components.size()) <= kMaxAppliedOps)
      applyToAll(builder, op, lane, components);
    else
      applyInLoop(builder, op, lane, components);
    rewriter.replaceOpWithMultiple(op, {components});
    return success();
  }

private:
  static void applyToAll(ImplicitLocOpBuilder &builder, CooperativeMatrixApplyOp op,
                         CoopMatrixLane &lane, MutableArrayRef<Value> components) {
    const CoopMatrixLayout &layout = lane.getLayout();
    for (auto [position, component] : llvm::enumerate(components))
      component = apply(builder, op, lane.getRow(layout.getBlock(position)),
                        lane.getColumn(layout.getStep(position)), component,
                        lane.isComponent(int64_t(position)));
  }

  static void applyInLoop(ImplicitLocOpBuilder &builder, CooperativeMatrixApplyOp op,
                          CoopMatrixLane &lane, MutableArrayRef<Value> components) {
    const CoopMatrixLayout &layout = lane.getLayout();
    PrivateArray array(builder, layout.type.getElementType(), components.size());
    // By rows first: block and step of an entry are then quotient and remainder.
    auto forAll = [&](auto emit) {
      for (int64_t i = 0; i < int64_t(components.size()); ++i)
        emit(createIndex(builder, i),
             components[layout.getPosition(i / layout.steps, i % layout.steps)]);
    };
    forAll(
        [&](Value place, Value component) { array.store(builder, component, place); });
    auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                   createIndex(builder, components.size()),
                                   createIndex(builder, 1));
    setUnroll(loop, false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value place = loop.getInductionVar(), steps = createIndex(builder, layout.steps);
      Value block = arith::DivUIOp::create(builder, place, steps);
      Value step = arith::RemUIOp::create(builder, place, steps);
      Value result = apply(builder, op, lane.getRow(block), lane.getColumn(step),
                           array.load(builder, place), lane.isComponent(block, step));
      array.store(builder, result, place);
    }
    forAll(
        [&](Value place, Value &component) { component = array.load(builder, place); });
  }

  /// What a copy of the region yields, or the component itself where it is padding.
  static Value apply(ImplicitLocOpBuilder &builder, CooperativeMatrixApplyOp op,
                     Value row, Value column, Value component, Value condition) {
    Type i32 = builder.getI32Type();
    row = arith::IndexCastOp::create(builder, i32, row);
    column = arith::IndexCastOp::create(builder, i32, column);
    if (!condition || isPure(op))
      return cloneBody(builder, op, {row, column, component});
    auto branch = scf::IfOp::create(builder, component.getType(), condition,
                                    /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value result = cloneBody(builder, op, {row, column, component});
    scf::YieldOp::create(builder, result);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, component);
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
  patterns.add<
      CoopMatrixCastPattern, CoopMatrixDivisionPattern<ArithDivOp, &ScalarBuilder::div>,
      CoopMatrixDivisionPattern<ArithRemOp, &ScalarBuilder::rem>, ConstructPattern,
      ExtractPattern, InsertPattern, PrefetchPattern, ApplyPattern>(
      converter, patterns.getContext());
}
