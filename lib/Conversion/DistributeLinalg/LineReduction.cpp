//===- LineReduction.cpp - Sums along contiguous lines --------------------===//
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

bool tinytc::isLineReduction(linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return op.getNumParallelLoops() <= 1 &&
         llvm::all_of(
             ArrayRef(maps).take_front(op.getNumDpsInputs()), [&](AffineMap map) {
               return map.getNumResults() > 0 &&
                      cast<AffineDimExpr>(map.getResult(0)).getPosition() == last;
             });
}

namespace {

class LineReductionEmitter {
public:
  LineReductionEmitter(const Reduction &reduction, const WorkGroup &group,
                       OpFoldResult length, Value lane)
      : reduction(reduction), group(group), length(length), lane(lane) {}

  /// Computes the elements `lines` of the destination (none: the only one) and writes
  /// them.
  void emit(OpBuilder &builder, Location loc, ArrayRef<Value> lines) {
    int64_t count = std::max<int64_t>(lines.size(), 1);
    int64_t perLine = count == 1 ? group.getMachine().sumsOfSingleLine
                                 : group.getMachine().sumsPerLine;
    SmallVector<Value> sums(count * perLine, reduction.fill.getInputs().front());
    int64_t width = group.getSubgroupSize();
    OpFoldResult zero = builder.getIndexAttr(0);
    OpFoldResult blocks = roundDown(builder, loc, length, width * perLine);
    emitLoop(builder, loc, zero, blocks, width * perLine, lines, sums);
    // The remainder is added to the first sum of each line.
    SmallVector<Value> first;
    for (int64_t i = 0; i < count; ++i)
      first.push_back(addUp(builder, ArrayRef(sums).slice(i * perLine, perLine)));
    OpFoldResult full = roundDown(builder, loc, length, width);
    emitLoop(builder, loc, blocks, full, width, lines, first);
    emitTail(builder, loc, full, lines, first);
    emitUpdates(builder, loc, lines, first);
  }

private:
  /// Adds elements [lower, upper), `step` of which are taken at a time, to the sums.
  void emitLoop(OpBuilder &builder, Location loc, OpFoldResult lower,
                OpFoldResult upper, int64_t step, ArrayRef<Value> lines,
                SmallVectorImpl<Value> &sums) {
    if (isEmptyRange(lower, upper))
      return;
    auto loop = group.createLoop(builder, loc, lower, upper, step, sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value k = createIndexAdd(builder, loc, loop.getInductionVar(), lane);
    SmallVector<Value> next =
        addElements(builder, loc, k, lines, ValueRange(loop.getRegionIterArgs()));
    scf::YieldOp::create(builder, loc, next);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }

  /// Adds the elements after the last full block.
  void emitTail(OpBuilder &builder, Location loc, OpFoldResult full,
                ArrayRef<Value> lines, SmallVectorImpl<Value> &sums) {
    if (full == length)
      return;
    Value k = createIndexAdd(builder, loc, full, lane);
    Value isInside = group.createIsInside(builder, loc, k, length);
    auto branch = scf::IfOp::create(builder, loc, ValueRange(sums).getTypes(), isInside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, sums);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, addElements(builder, loc, k, lines, sums));
    sums.assign(branch.getResults().begin(), branch.getResults().end());
  }

  /// Adds to the sums of each line the elements at k, and at distances of a subgroup.
  SmallVector<Value> addElements(OpBuilder &builder, Location loc, Value k,
                                 ArrayRef<Value> lines, ValueRange sums) {
    int64_t count = std::max<int64_t>(lines.size(), 1);
    int64_t perLine = sums.size() / count;
    SmallVector<Value> next;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < perLine; ++j) {
        SmallVector<Value> iteration;
        if (!lines.empty())
          iteration.push_back(lines[i]);
        iteration.push_back(createIndexAdd(
            builder, loc, k, builder.getIndexAttr(j * group.getSubgroupSize())));
        SmallVector<Value> elements;
        for (unsigned input = 0; input < reduction.sum.getNumDpsInputs(); ++input)
          elements.push_back(loadElement(builder, reduction.sum, input, iteration));
        elements.push_back(sums[i * perLine + j]);
        next.push_back(cloneBody(builder, reduction.sum, elements));
      }
    return next;
  }

  /// The sum of all sums of one line.
  Value addUp(OpBuilder &builder, ArrayRef<Value> sums) {
    Value total = sums.front();
    ScalarBuilder scalars(builder, reduction.sum.getLoc());
    for (Value sum : sums.drop_front())
      total = scalars.add(total, sum);
    return total;
  }

  void emitUpdates(OpBuilder &builder, Location loc, ArrayRef<Value> lines,
                   ArrayRef<Value> sums) {
    SubgroupBuilder subgroup(builder, loc, GroupReduction::Add,
                             group.getSubgroupSize());
    SmallVector<Value> totals = llvm::map_to_vector(
        sums, [&](Value sum) { return subgroup.emit(GroupOperation::Reduce, sum); });
    Value isFirst = group.createIsInside(builder, loc, lane, builder.getIndexAttr(1));
    OpBuilder::InsertionGuard guard(builder);
    enterIf(builder, loc, isFirst);
    for (auto [i, total] : llvm::enumerate(totals)) {
      ArrayRef<Value> position = lines.empty() ? lines : lines.slice(i, 1);
      emitUpdate(builder, reduction, position, total);
    }
  }

  Reduction reduction;
  const WorkGroup &group;
  OpFoldResult length;
  Value lane;
};

} // namespace

void tinytc::distributeLineReduction(OpBuilder &builder, const WorkGroup &group,
                                     Reduction reduction, OpFoldResult length) {
  Location loc = reduction.sum.getLoc();
  Value lane = gpu::LaneIdOp::create(builder, loc, /*upper_bound=*/nullptr);
  LineReductionEmitter emitter(reduction, group, length, lane);
  SmallVector<OpFoldResult> sizes = reduction.getSizes(builder);
  if (sizes.empty()) {
    // One sum is work for only one subgroup.
    group.distributeSubgroups(
        builder, loc, builder.getIndexAttr(1), 1,
        [&](OpBuilder &b, Location l, ArrayRef<Value>) { emitter.emit(b, l, {}); });
    return;
  }
  group.distributeSubgroups(builder, loc, sizes.front(), group.getMachine().linesAtOnce,
                            [&](OpBuilder &b, Location l, ArrayRef<Value> lines) {
                              emitter.emit(b, l, lines);
                            });
}
