//===- LineReduction.cpp - Sums along contiguous lines --------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Where all inputs are contiguous along the summed mode, the work-items of a subgroup
// lie along that mode: each adds up the elements one subgroup size apart, and the
// subgroup adds up their sums. The elements of the destination are distributed over the
// subgroups.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

class LineReductionEmitter {
public:
  LineReductionEmitter(const Reduction &reduction, const WorkGroup &group,
                       OpFoldResult length, Value lane, const Strategy &strategy)
      : reduction(reduction), group(group), length(length), lane(lane),
        strategy(strategy) {}

  /// Computes the elements `lines` of the destination (none: the only one) and writes
  /// them.
  void emit(ImplicitLocOpBuilder &builder, ArrayRef<Value> lines) {
    int64_t count = std::max<int64_t>(lines.size(), 1);
    int64_t perLine = count == 1 ? strategy.tailUnroll : strategy.unroll;
    SmallVector<Value> sums(count * perLine, reduction.fill.getInputs().front());
    int64_t width = group.getSubgroupSize();
    OpFoldResult zero = builder.getIndexAttr(0);
    OpFoldResult blocks = roundDown(builder, length, width * perLine);
    emitLoop(builder, zero, blocks, width * perLine, lines, sums);
    // The remainder is added to the first sum of each line.
    SmallVector<Value> first;
    for (int64_t i = 0; i < count; ++i)
      first.push_back(addUp(builder, ArrayRef(sums).slice(i * perLine, perLine)));
    OpFoldResult full = roundDown(builder, length, width);
    emitLoop(builder, blocks, full, width, lines, first);
    emitTail(builder, full, lines, first);
    emitUpdates(builder, lines, first);
  }

private:
  /// Adds elements [lower, upper) to the sums, `step` at a time.
  void emitLoop(ImplicitLocOpBuilder &builder, OpFoldResult lower, OpFoldResult upper,
                int64_t step, ArrayRef<Value> lines, SmallVectorImpl<Value> &sums) {
    if (isEmptyRange(lower, upper))
      return;
    int64_t atOnce = std::gcd(step / group.getSubgroupSize(), strategy.adjacent);
    Value own =
        toValue(builder, createIndexMul(builder, lane, builder.getIndexAttr(atOnce)));
    auto loop = group.createLoop(builder, lower, upper, step, sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value k = createIndexAdd(builder, loop.getInductionVar(), own);
    SmallVector<Value> next =
        addElements(builder, k, atOnce, lines, ValueRange(loop.getRegionIterArgs()));
    scf::YieldOp::create(builder, next);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }

  /// Adds the elements after the last full block.
  void emitTail(ImplicitLocOpBuilder &builder, OpFoldResult full, ArrayRef<Value> lines,
                SmallVectorImpl<Value> &sums) {
    if (full == length)
      return;
    Value k = createIndexAdd(builder, full, lane);
    Value isInside = group.createIsInside(builder, k, length);
    auto branch = scf::IfOp::create(builder, ValueRange(sums).getTypes(), isInside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, sums);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, addElements(builder, k, 1, lines, sums));
    sums.assign(branch.getResults().begin(), branch.getResults().end());
  }

  /// Adds to the sums of each line `atOnce` elements from k on, and as many at
  /// distances of a subgroup.
  SmallVector<Value> addElements(ImplicitLocOpBuilder &builder, Value k, int64_t atOnce,
                                 ArrayRef<Value> lines, ValueRange sums) {
    int64_t count = std::max<int64_t>(lines.size(), 1);
    int64_t perLine = sums.size() / count;
    SmallVector<Value> next;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < perLine; ++j) {
        SmallVector<Value> iteration;
        if (!lines.empty())
          iteration.push_back(lines[i]);
        int64_t offset = j / atOnce * atOnce * group.getSubgroupSize() + j % atOnce;
        iteration.push_back(createIndexAdd(builder, k, builder.getIndexAttr(offset)));
        SmallVector<Value> elements;
        for (unsigned input = 0; input < reduction.sum.getNumDpsInputs(); ++input)
          elements.push_back(loadElement(builder, reduction.sum, input, iteration));
        elements.push_back(sums[i * perLine + j]);
        next.push_back(cloneBody(builder, reduction.sum, elements));
      }
    return next;
  }

  /// The sum of all sums of one line.
  Value addUp(ImplicitLocOpBuilder &builder, ArrayRef<Value> sums) {
    Value total = sums.front();
    ScalarBuilder scalars(builder);
    for (Value sum : sums.drop_front())
      total = scalars.add(total, sum);
    return total;
  }

  void emitUpdates(ImplicitLocOpBuilder &builder, ArrayRef<Value> lines,
                   ArrayRef<Value> sums) {
    SubgroupBuilder subgroup(builder, GroupReduction::Add, group.getSubgroupSize());
    SmallVector<Value> totals = llvm::map_to_vector(
        sums, [&](Value sum) { return subgroup.emit(GroupOperation::Reduce, sum); });
    Value isFirst = group.createIsInside(builder, lane, builder.getIndexAttr(1));
    OpBuilder::InsertionGuard guard(builder);
    enterIf(builder, isFirst);
    SmallVector<SmallVector<Value>> positions(lines.empty());
    for (Value line : lines)
      positions.push_back({line});
    // One after the other where neighbouring elements are work of other work-items.
    if (strategy.adjacent > 1)
      return tinytc::emitUpdates(builder, reduction, positions, totals);
    for (auto [position, total] : llvm::zip(positions, totals))
      emitUpdate(builder, reduction, position, total);
  }

  Reduction reduction;
  const WorkGroup &group;
  OpFoldResult length;
  Value lane;
  const Strategy &strategy;
};

} // namespace

void tinytc::distributeLineReduction(ImplicitLocOpBuilder &builder,
                                     const WorkGroup &group, const Reduction &reduction,
                                     OpFoldResult length, const Strategy &strategy) {
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  LineReductionEmitter emitter(reduction, group, length, lane, strategy);
  SmallVector<OpFoldResult> sizes = getSizes(builder, reduction);
  if (sizes.empty()) {
    // One sum is work for only one subgroup.
    group.distributeSubgroups(
        builder, builder.getIndexAttr(1), 1,
        [&](ImplicitLocOpBuilder &b, ArrayRef<Value>) { emitter.emit(b, {}); });
    return;
  }
  group.distributeSubgroups(
      builder, sizes.front(), strategy.rows,
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> lines) { emitter.emit(b, lines); });
}
