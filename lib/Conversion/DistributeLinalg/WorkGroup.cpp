//===- WorkGroup.cpp - Work-items of a work-group in loops ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

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
static Value createFirstId(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> size,
                           int32_t subgroupSize, Value secondId) {
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  int64_t perRow = size[0] / subgroupSize;
  if (perRow <= 1)
    return lane;
  Value subgroup = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
  if (size[1] > 1) {
    Value before =
        arith::MulIOp::create(builder, secondId, createIndex(builder, perRow));
    subgroup = arith::SubIOp::create(builder, subgroup, before);
  }
  Value first =
      arith::MulIOp::create(builder, subgroup, createIndex(builder, subgroupSize));
  return arith::AddIOp::create(builder, first, lane);
}

WorkGroup::WorkGroup(ImplicitLocOpBuilder &builder, TargetAttr target,
                     ArrayRef<int32_t> groupSize, int32_t subgroupSize)
    : size(groupSize.begin(), groupSize.end()), subgroupSize(subgroupSize),
      numSubgroups(size[0] / subgroupSize * size[1]),
      machine(&tinytc::getMachine(target)) {
  auto zero = [&]() -> Value { return createIndex(builder, 0); };
  Value second =
      size[1] == 1 ? zero() : gpu::ThreadIdOp::create(builder, gpu::Dimension::y);
  Value first =
      size[0] == 1 ? zero() : createFirstId(builder, size, subgroupSize, second);
  ids = {first, second};
}

WorkGroup WorkGroup::withGrid(ImplicitLocOpBuilder &builder, int64_t width,
                              bool sharesColumns) const {
  WorkGroup grid(*this);
  grid.columnsAreShared = sharesColumns;
  if (width == size[0])
    return grid;
  grid.size = {width, size[0] * size[1] / width};
  grid.dividesSubgroups = width % subgroupSize != 0;
  Value number = ids[0], widthOfRows = createIndex(builder, width);
  if (size[1] > 1) {
    Value before =
        arith::MulIOp::create(builder, ids[1], createIndex(builder, size[0]));
    number = arith::AddIOp::create(builder, before, number);
  }
  grid.ids = {arith::RemUIOp::create(builder, number, widthOfRows),
              arith::DivUIOp::create(builder, number, widthOfRows)};
  return grid;
}

scf::ForOp WorkGroup::createLoop(ImplicitLocOpBuilder &builder, OpFoldResult lower,
                                 OpFoldResult upper, int64_t step,
                                 ValueRange inits) const {
  auto loop =
      scf::ForOp::create(builder, toValue(builder, lower), toValue(builder, upper),
                         createIndex(builder, step), inits);
  if (!machine->code.unrollsFurther)
    setUnroll(loop, false);
  return loop;
}

void WorkGroup::emitBlocks(ImplicitLocOpBuilder &builder, OpFoldResult lower,
                           OpFoldResult upper, int64_t step, EmitBody emit) const {
  if (isEmptyRange(lower, upper))
    return;
  std::optional<int64_t> begin = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  if (begin && end && *end - *begin == step)
    return emit(builder, toValue(builder, lower));
  auto loop = createLoop(builder, lower, upper, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emit(builder, loop.getInductionVar());
}

void tinytc::enterIf(ImplicitLocOpBuilder &builder, Value condition) {
  if (!condition)
    return;
  auto branch = scf::IfOp::create(builder, condition);
  builder.setInsertionPointToStart(branch.thenBlock());
}

SmallVector<WorkGroup::Part, 2> WorkGroup::getParts(ImplicitLocOpBuilder &builder,
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
    extent =
        arith::SubIOp::create(builder, toValue(builder, upper), toValue(builder, lower))
            .getResult();
  OpFoldResult middle =
      createIndexAdd(builder, lower, roundDown(builder, extent, width));
  if (middle == upper)
    return {{lower, upper, false}};
  return {{lower, middle, false}, {middle, upper, true}};
}

Value WorkGroup::getTailIndex(ImplicitLocOpBuilder &builder, unsigned dim,
                              const Part &part) const {
  return createIndexAdd(builder, part.lower, ids[dim]);
}

void WorkGroup::distribute(ImplicitLocOpBuilder &builder, unsigned dim,
                           const Part &part, EmitBody emit) const {
  if (!part.isTail)
    return emitBlocks(builder, part.lower, part.upper, size[dim],
                      [&](ImplicitLocOpBuilder &b, Value base) {
                        emit(b, createIndexAdd(b, base, ids[dim]));
                      });
  Value index = getTailIndex(builder, dim, part);
  OpBuilder::InsertionGuard guard(builder);
  enterIf(builder, createIsInside(builder, index, part.upper));
  emit(builder, index);
}

void WorkGroup::distributeAll(ImplicitLocOpBuilder &builder, unsigned dim,
                              OpFoldResult lower, OpFoldResult upper,
                              EmitBody emit) const {
  for (const Part &part : getParts(builder, dim, lower, upper))
    distribute(builder, dim, part, emit);
}

Value WorkGroup::createIsInside(ImplicitLocOpBuilder &builder, Value index,
                                OpFoldResult end) const {
  Value opaque = OpaqueIndexOp::create(builder, toValue(builder, end));
  return createIsBelow(builder, index, opaque);
}

void WorkGroup::distributeSubgroups(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                                    int64_t count, EmitAdjacent emit) const {
  int64_t numSubgroups = getNumSubgroups();
  Value id = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
  auto emitTiles = [&](OpFoldResult lower, OpFoldResult upper, int64_t columns) {
    if (isEmptyRange(lower, upper))
      return;
    Value first = id;
    if (columns > 1 && numSubgroups > 1)
      first = arith::MulIOp::create(builder, id, createIndex(builder, columns));
    OpBuilder::InsertionGuard guard(builder);
    std::optional<int64_t> begin = getConstantIntValue(lower);
    std::optional<int64_t> end = getConstantIntValue(upper);
    if (machine->idleLanesAreFree && begin && end &&
        *end - *begin <= numSubgroups * columns) {
      // Without a loop, out of which LLVM moves loads that one lane does to all.
      Value index = createIndexAdd(builder, lower, first);
      enterIf(builder, createIsInside(builder, index, upper));
      return emit(builder, createAdjacent(builder, index, columns));
    }
    auto loop = createLoop(builder, createIndexAdd(builder, lower, first), upper,
                           numSubgroups * columns);
    builder.setInsertionPointToStart(loop.getBody());
    emit(builder, createAdjacent(builder, loop.getInductionVar(), columns));
  };
  OpFoldResult tiled = roundDown(builder, extent, count);
  emitTiles(builder.getIndexAttr(0), tiled, count);
  if (count > 1)
    emitTiles(tiled, extent, 1);
}
