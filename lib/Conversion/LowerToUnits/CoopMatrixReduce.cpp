//===- CoopMatrixReduce.cpp - Reductions of coopmatrices ------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A work-item combines what it holds of a row or column, then those that hold the rest
// of it exchange what they have.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLoop.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Reduces a matrix.
class MatrixReducer {
public:
  MatrixReducer(ImplicitLocOpBuilder &builder, GroupReduction reduction,
                CoopMatrixLayout layout, ArrayRef<Value> values,
                const CoopMatrixLimits &limits)
      : builder(builder), lane(builder, layout), layout(layout), components(values),
        subgroup(builder, reduction, layout.subgroupSize) {
    if (layout.getNumComponents() > limits.components)
      entries.emplace(builder, layout, components);
    else
      for (auto [position, component] : llvm::enumerate(components))
        component = prepare(component, lane.isComponent(int64_t(position)));
  }

  /// The components of the M x 1 result, which has the same blocks of rows.
  SmallVector<Value> reduceRows(const CoopMatrixLayout &result) {
    // Lanes with the same row hold different columns.
    auto emitRow = [&](Value row) {
      return subgroup.emitAmong(row, layout.blockRows, layout.subgroupSize);
    };
    if (entries)
      return emitComponentLoop(
          builder, result, {}, getComputedType(), [&](Value block, Value, auto) {
            return emitRow(reduceInLoop(
                layout.steps, [&](Value step) { return getPrepared(block, step); }));
          });
    SmallVector<Value> rows(result.getNumComponents());
    for (int64_t block = 0; block < layout.rowBlocks; ++block) {
      Value row = get(block, 0);
      for (int64_t step = 1; step < layout.steps; ++step)
        row = subgroup.combine(row, get(block, step));
      rows[result.getPosition(block, 0)] = emitRow(row);
    }
    return rows;
  }

  /// The components of the 1 x N result, in which lane p holds column p of each
  /// subgroup size columns.
  SmallVector<Value> reduceColumns(const CoopMatrixLayout &result) {
    SmallVector<Value> totals = reduceSteps();
    Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    lane = arith::IndexCastOp::create(builder, builder.getI32Type(), lane);
    Value width = createI32(builder, layout.sideBySide);
    Value beside = arith::RemUIOp::create(builder, lane, width);
    Value stepOfLane = arith::DivUIOp::create(builder, lane, width);
    Value source =
        arith::MulIOp::create(builder, beside, createI32(builder, layout.blockRows));
    SmallVector<Value> columns(result.getNumComponents());
    for (int64_t first = 0; first < layout.steps; first += layout.blockRows) {
      Value &column = columns[result.getPosition(0, first / layout.blockRows)];
      int64_t end = std::min(first + layout.blockRows, layout.steps);
      for (int64_t step = first; step < end; ++step) {
        Value total = totals[step];
        if (layout.sideBySide != 1)
          total = createShuffle(builder, total, source, layout.subgroupSize);
        column = column ? chooseStep(stepOfLane, step - first, total, column) : total;
      }
    }
    return columns;
  }

private:
  Value get(int64_t block, int64_t step) {
    return components[layout.getPosition(block, step)];
  }

  Type getComputedType() const { return getComputeType(layout.type.getElementType()); }

  /// A component in the type that is computed in, the neutral value where it is
  /// padding; a null condition always holds.
  Value prepare(Value component, Value isComponent) {
    component = ScalarBuilder(builder).cast(component, getComputedType());
    if (!isComponent)
      return component;
    Value neutral = subgroup.createNeutral(component.getType());
    return arith::SelectOp::create(builder, isComponent, component, neutral);
  }

  /// The component of an entry that is only known at run time.
  Value getPrepared(Value block, Value step) {
    Value first =
        arith::MulIOp::create(builder, block, createIndex(builder, layout.steps));
    Value component =
        entries->load(builder, arith::AddIOp::create(builder, first, step));
    return prepare(component, lane.isComponent(block, step));
  }

  /// Combines what `get` returns for numbers below `count`.
  Value reduceInLoop(int64_t count, function_ref<Value(Value)> get) {
    Value one = createIndex(builder, 1), first = get(createIndex(builder, 0));
    auto loop =
        scf::ForOp::create(builder, one, createIndex(builder, count), one, first);
    setUnroll(loop, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value next = get(loop.getInductionVar());
    scf::YieldOp::create(builder, subgroup.combine(loop.getRegionIterArg(0), next));
    return loop.getResult(0);
  }

  /// The columns of each step, in each lane that holds part of them.
  SmallVector<Value> reduceSteps() {
    SmallVector<Value> totals;
    for (int64_t step = 0; step < layout.steps; ++step)
      totals.push_back(emitColumn(reduceColumn(step)));
    return totals;
  }

  Value reduceColumn(int64_t step) {
    if (entries)
      return reduceInLoop(layout.rowBlocks, [&](Value block) {
        return getPrepared(block, createIndex(builder, step));
      });
    Value column = get(0, step);
    for (int64_t block = 1; block < layout.rowBlocks; ++block)
      column = subgroup.combine(column, get(block, step));
    return column;
  }

  Value emitColumn(Value column) {
    if (layout.sideBySide == 1)
      return subgroup.emit(GroupOperation::Reduce, column);
    return subgroup.emitAmong(column, 1, layout.blockRows);
  }

  Value chooseStep(Value stepOfLane, int64_t step, Value total, Value others) {
    Value isStep = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, stepOfLane,
                                         createI32(builder, step));
    return arith::SelectOp::create(builder, isStep, total, others);
  }

  ImplicitLocOpBuilder &builder;
  CoopMatrixLane lane;
  CoopMatrixLayout layout;
  SmallVector<Value> components;
  /// The same in a large matrix, before they are prepared.
  std::optional<IndexedComponents> entries;
  SubgroupBuilder subgroup;
};

template <typename Op, GroupReduction reduction>
struct ReducePattern final : CoopMatrixPattern<Op> {
  using CoopMatrixPattern<Op>::CoopMatrixPattern;
  using Adaptor = typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ScalarBuilder scalars(builder);
    CoopMatrixType type = op.getMatrix().getType();
    MatrixReducer reducer(builder, reduction, this->getConverter().getLayout(type),
                          llvm::to_vector(adaptor.getMatrix()),
                          this->getConverter().getLimits());
    CoopMatrixLayout layout = this->getConverter().getLayout(op.getType());
    SmallVector<Value> results = op.getMode() == ReduceMode::Row
                                     ? reducer.reduceRows(layout)
                                     : reducer.reduceColumns(layout);
    for (Value &result : results)
      result = scalars.cast(result, type.getElementType());
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tinytc::populateCoopMatrixReducePatterns(const LinalgTypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<ReducePattern<CooperativeMatrixReduceAddOp, GroupReduction::Add>,
               ReducePattern<CooperativeMatrixReduceMaxOp, GroupReduction::Max>,
               ReducePattern<CooperativeMatrixReduceMinOp, GroupReduction::Min>>(
      converter, patterns.getContext());
}
