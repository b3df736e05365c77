//===- WorkGroup.cpp - Work-items of a work-group in loops ----------------===//

#include "lib/Conversion/DistributeLinalg/WorkGroup.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/SubgroupBuilder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The local id in the first dimension, from subgroup and lane. The CPU driver takes a
/// condition on the local id itself as the number of work-items to run: it then runs
/// them one by one, or too many of them.
static Value createFirstId(OpBuilder &builder, Location loc, ArrayRef<int64_t> size,
                           int32_t subgroupSize, Value secondId) {
  Value lane = gpu::LaneIdOp::create(builder, loc, /*upper_bound=*/nullptr);
  int64_t perRow = size[0] / subgroupSize;
  if (perRow <= 1)
    return lane;
  Value subgroup = gpu::SubgroupIdOp::create(builder, loc, /*upper_bound=*/nullptr);
  if (size[1] > 1) {
    Value before = arith::MulIOp::create(builder, loc, secondId,
                                         createIndex(builder, loc, perRow));
    subgroup = arith::SubIOp::create(builder, loc, subgroup, before);
  }
  Value first = arith::MulIOp::create(builder, loc, subgroup,
                                      createIndex(builder, loc, subgroupSize));
  return arith::AddIOp::create(builder, loc, first, lane);
}

WorkGroup::WorkGroup(OpBuilder &builder, Location loc, TargetAttr target,
                     ArrayRef<int32_t> groupSize, int32_t subgroupSize)
    : size(groupSize.begin(), groupSize.end()), subgroupSize(subgroupSize),
      machine(&tinytc::getMachine(target)) {
  auto zero = [&]() -> Value { return createIndex(builder, loc, 0); };
  Value second =
      size[1] == 1 ? zero() : gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::y);
  Value first =
      size[0] == 1 ? zero() : createFirstId(builder, loc, size, subgroupSize, second);
  ids = {first, second};
}

scf::ForOp WorkGroup::createLoop(OpBuilder &builder, Location loc, OpFoldResult lower,
                                 OpFoldResult upper, int64_t step,
                                 ValueRange inits) const {
  auto loop = scf::ForOp::create(builder, loc, toValue(builder, loc, lower),
                                 toValue(builder, loc, upper),
                                 createIndex(builder, loc, step), inits);
  if (!machine->driverUnrolls)
    setUnroll(loop, false);
  return loop;
}

void WorkGroup::emitBlocks(OpBuilder &builder, Location loc, OpFoldResult lower,
                           OpFoldResult upper, int64_t step, EmitBody emit) const {
  if (isEmptyRange(lower, upper))
    return;
  std::optional<int64_t> begin = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  if (begin && end && *end - *begin == step)
    return emit(builder, loc, toValue(builder, loc, lower));
  auto loop = createLoop(builder, loc, lower, upper, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emit(builder, loc, loop.getInductionVar());
}

void tinytc::enterIf(OpBuilder &builder, Location loc, Value condition) {
  if (!condition)
    return;
  auto branch = scf::IfOp::create(builder, loc, condition);
  builder.setInsertionPointToStart(branch.thenBlock());
}

SmallVector<WorkGroup::Part, 2> WorkGroup::getParts(OpBuilder &builder, Location loc,
                                                    unsigned dim, OpFoldResult lower,
                                                    OpFoldResult upper) const {
  int64_t width = size[dim];
  if (width == 1)
    return {{lower, upper, false}};
  std::optional<int64_t> begin = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  if (begin && end) {
    int64_t extent = std::max<int64_t>(*end - *begin, 0);
    OpFoldResult middle = builder.getIndexAttr(*begin + extent / width * width);
    SmallVector<Part, 2> parts;
    if (extent >= width)
      parts.push_back({lower, middle, false});
    if (extent % width != 0)
      parts.push_back({middle, upper, true});
    return parts;
  }
  OpFoldResult extent = upper;
  if (begin != 0)
    extent = arith::SubIOp::create(builder, loc, toValue(builder, loc, upper),
                                   toValue(builder, loc, lower))
                 .getResult();
  OpFoldResult middle =
      createIndexAdd(builder, loc, lower, roundDown(builder, loc, extent, width));
  if (middle == upper)
    return {{lower, upper, false}};
  return {{lower, middle, false}, {middle, upper, true}};
}

Value WorkGroup::getTailIndex(OpBuilder &builder, Location loc, unsigned dim,
                              const Part &part) const {
  return createIndexAdd(builder, loc, part.lower, ids[dim]);
}

void WorkGroup::distribute(OpBuilder &builder, Location loc, unsigned dim,
                           const Part &part, EmitBody emit) const {
  if (!part.isTail)
    return emitBlocks(builder, loc, part.lower, part.upper, size[dim],
                      [&](OpBuilder &b, Location l, Value base) {
                        emit(b, l, createIndexAdd(b, l, base, ids[dim]));
                      });
  Value index = getTailIndex(builder, loc, dim, part);
  OpBuilder::InsertionGuard guard(builder);
  enterIf(builder, loc, createIsInside(builder, loc, index, part.upper));
  emit(builder, loc, index);
}

void WorkGroup::distributeAll(OpBuilder &builder, Location loc, unsigned dim,
                              OpFoldResult lower, OpFoldResult upper,
                              EmitBody emit) const {
  for (const Part &part : getParts(builder, loc, dim, lower, upper))
    distribute(builder, loc, dim, part, emit);
}

Value WorkGroup::createIsInside(OpBuilder &builder, Location loc, Value index,
                                OpFoldResult end) const {
  Value opaque = OpaqueIndexOp::create(builder, loc, toValue(builder, loc, end));
  return createIsBelow(builder, loc, index, opaque);
}

void WorkGroup::distributeSubgroups(OpBuilder &builder, Location loc,
                                    OpFoldResult extent, int64_t count,
                                    EmitAdjacent emit) const {
  int64_t numSubgroups = getNumSubgroups();
  Value id = gpu::SubgroupIdOp::create(builder, loc, /*upper_bound=*/nullptr);
  auto emitTiles = [&](OpFoldResult lower, OpFoldResult upper, int64_t columns) {
    if (isEmptyRange(lower, upper))
      return;
    Value first = id;
    if (columns > 1 && numSubgroups > 1)
      first =
          arith::MulIOp::create(builder, loc, id, createIndex(builder, loc, columns));
    auto loop = createLoop(builder, loc, createIndexAdd(builder, loc, lower, first),
                           upper, numSubgroups * columns);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emit(builder, loc, createAdjacent(builder, loc, loop.getInductionVar(), columns));
  };
  OpFoldResult tiled = roundDown(builder, loc, extent, count);
  emitTiles(builder.getIndexAttr(0), tiled, count);
  if (count > 1)
    emitTiles(tiled, extent, 1);
}
