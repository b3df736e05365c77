//===- CoopMatrixReduce.cpp - Reductions of coopmatrices ------------------===//
//
// A work-item combines what it holds of a row or column, then those that hold the rest
// of it exchange what they have.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Reduces a matrix, whose components have the type that is computed in.
class MatrixReducer {
public:
  MatrixReducer(ImplicitLocOpBuilder &builder, GroupReduction reduction,
                CoopMatrixLayout layout, ArrayRef<Value> values)
      : builder(builder), layout(layout), components(values),
        subgroup(builder, reduction, layout.subgroupSize) {
    CoopMatrixLane lane(builder, layout);
    for (auto [position, component] : llvm::enumerate(components)) {
      Value isComponent = lane.isComponent(int64_t(position));
      if (!isComponent)
        continue;
      Value identity = subgroup.createIdentity(component.getType());
      component = arith::SelectOp::create(builder, isComponent, component, identity);
    }
  }

  /// The components of the M x 1 result, which has the same blocks of rows.
  SmallVector<Value> reduceRows(const CoopMatrixLayout &result) {
    SmallVector<Value> rows(result.getNumComponents());
    for (int64_t block = 0; block < layout.rowBlocks; ++block) {
      Value row = get(block, 0);
      for (int64_t step = 1; step < layout.steps; ++step)
        row = subgroup.combine(row, get(block, step));
      // Lanes with the same row hold different columns.
      rows[result.getPosition(block, 0)] =
          subgroup.emitAmong(row, layout.blockRows, layout.subgroupSize);
    }
    return rows;
  }

  /// The components of the 1 x N result, in which lane p holds column p of each
  /// subgroup size columns.
  SmallVector<Value> reduceColumns(const CoopMatrixLayout &result) {
    SmallVector<Value> totals;
    for (int64_t step = 0; step < layout.steps; ++step)
      totals.push_back(reduceColumn(step));
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

  /// The columns of a step, in each lane that holds part of them.
  Value reduceColumn(int64_t step) {
    Value column = get(0, step);
    for (int64_t block = 1; block < layout.rowBlocks; ++block)
      column = subgroup.combine(column, get(block, step));
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
  CoopMatrixLayout layout;
  SmallVector<Value> components;
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
    Type computed = getComputeType(type.getElementType());
    SmallVector<Value> values;
    for (Value component : adaptor.getMatrix())
      values.push_back(scalars.cast(component, computed));
    MatrixReducer reducer(builder, reduction, this->getConverter().getLayout(type),
                          values);
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
