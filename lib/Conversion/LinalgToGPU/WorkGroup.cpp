//===- WorkGroup.cpp - Work-items of a work-group in loops ----------------===//

#include "lib/Conversion/LinalgToGPU/WorkGroup.h"
#include "dialect/Passes.h"
#include "lib/Analysis/Divisibility.h"
#include "lib/Analysis/Schedule.h"
#include "lib/Conversion/TinyTCToGPU/SubgroupBuilder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

static Value toValue(OpBuilder &builder, Location loc, OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, loc, index);
}

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value createIsBelow(OpBuilder &builder, Location loc, Value index,
                           OpFoldResult upper) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index,
                               toValue(builder, loc, upper));
}

Value tinytc::createIndexAdd(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  if (x && y)
    return createIndex(builder, loc, *x + *y);
  if (x == 0)
    return toValue(builder, loc, b);
  if (y == 0)
    return toValue(builder, loc, a);
  return arith::AddIOp::create(builder, loc, toValue(builder, loc, a),
                               toValue(builder, loc, b));
}

Value tinytc::createIndexMin(OpBuilder &builder, Location loc, Value a, Value b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  if (x && y)
    return *x < *y ? a : b;
  // The OpenCL function for the minimum would differ between work-items to the CPU
  // driver.
  return arith::SelectOp::create(builder, loc, createIsBelow(builder, loc, a, b), a, b);
}

OpFoldResult tinytc::createIndexMul(OpBuilder &builder, Location loc, OpFoldResult a,
                                    int64_t b) {
  if (std::optional<int64_t> known = getConstantIntValue(a))
    return builder.getIndexAttr(*known * b);
  return arith::MulIOp::create(builder, loc, toValue(builder, loc, a),
                               createIndex(builder, loc, b))
      .getResult();
}

bool tinytc::isEmptyRange(OpFoldResult lower, OpFoldResult upper) {
  std::optional<int64_t> begin = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  return lower == upper || (begin && end && *begin >= *end);
}

OpFoldResult tinytc::roundDown(OpBuilder &builder, Location loc, OpFoldResult extent,
                               int64_t step) {
  if (getDivisor(extent) % step == 0)
    return extent;
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return builder.getIndexAttr(*known / step * step);
  Value count = arith::DivSIOp::create(builder, loc, toValue(builder, loc, extent),
                                       createIndex(builder, loc, step));
  return createIndexMul(builder, loc, count, step);
}

/// The local id in the first dimension, from subgroup and lane. To the CPU driver a
/// condition on the local id itself says how many work-items to run: it then runs them
/// one by one, or some too many.
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
      mayDriverUnroll(tinytc::mayDriverUnroll(target)) {
  auto zero = [&]() -> Value { return createIndex(builder, loc, 0); };
  Value second = size[1] == 1
                     ? zero()
                     : gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::y);
  Value first = size[0] == 1
                    ? zero()
                    : createFirstId(builder, loc, size, subgroupSize, second);
  ids = {first, second};
}

scf::ForOp WorkGroup::createLoop(OpBuilder &builder, Location loc, OpFoldResult lower,
                                 OpFoldResult upper, int64_t step,
                                 ValueRange inits) const {
  auto loop = scf::ForOp::create(builder, loc, toValue(builder, loc, lower),
                                 toValue(builder, loc, upper),
                                 createIndex(builder, loc, step), inits);
  if (!mayDriverUnroll)
    loop->setAttr(kUnrollAttrName, builder.getBoolAttr(false));
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

SmallVector<TileRow> WorkGroup::createTile(OpBuilder &builder, Location loc, Value base,
                                           int64_t rows) const {
  Value first = createIndexAdd(builder, loc, base, ids[0]);
  SmallVector<TileRow> tile;
  for (int64_t i = 0; i < rows; ++i)
    tile.push_back(
        {createIndexAdd(builder, loc, first, builder.getIndexAttr(i * size[0])),
         {},
         {}});
  return tile;
}

TileRow WorkGroup::createLastRow(OpBuilder &builder, Location loc, Value first,
                                 Value last) const {
  Value base = createIndexMin(builder, loc, first, last);
  return {createIndexAdd(builder, loc, base, ids[0]), first, {}};
}

void WorkGroup::distributeKnownRows(OpBuilder &builder, Location loc, int64_t extent,
                                    int64_t count, EmitRows emit) const {
  int64_t width = size[0];
  EvenTiles tiles(llvm::divideCeil(extent, width), count);
  auto emitTiles = [&](int64_t lower, int64_t numTiles, int64_t rows) {
    OpFoldResult upper = builder.getIndexAttr((lower + numTiles * rows) * width);
    emitBlocks(builder, loc, builder.getIndexAttr(lower * width), upper, rows * width,
               [&](OpBuilder &b, Location l, Value base) {
                 SmallVector<TileRow> tile = createTile(b, l, base, rows);
                 // The last row lies at the very end: it sums up rows twice, rather
                 // than to leave work-items idle in the loop.
                 if (*getConstantIntValue(upper) > extent)
                   tile.back() = createLastRow(
                       b, l,
                       createIndexAdd(b, l, base, b.getIndexAttr((rows - 1) * width)),
                       createIndex(b, l, extent - width));
                 emit(b, l, tile);
               });
  };
  // The last tile is a wide one, in which more than the last row may be.
  emitTiles(0, tiles.numNarrow, tiles.narrow);
  emitTiles(tiles.numNarrow * tiles.narrow, tiles.numWide, tiles.narrow + 1);
}

/// Emits `then` where `extent` is at least `least`, `otherwise` where it is not; of an
/// extent that is known to be 0 or large enough, `then` alone, whose loops are empty at
/// 0.
static void emitIfAtLeast(OpBuilder &builder, Location loc, OpFoldResult extent,
                          int64_t least, function_ref<void()> then,
                          function_ref<void()> otherwise) {
  OpBuilder::InsertionGuard guard(builder);
  if (isZeroOrAtLeast(extent, least))
    return then();
  Value isLarge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        toValue(builder, loc, extent),
                                        createIndex(builder, loc, least));
  auto branch = scf::IfOp::create(builder, loc, isLarge, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

void WorkGroup::distributeRows(OpBuilder &builder, Location loc, OpFoldResult extent,
                               int64_t count, EmitRows emit) const {
  int64_t width = size[0];
  // The condition holds for loads and stores alone: the loop between them is the same
  // for all work-items.
  auto emitTail = [&](OpFoldResult base) {
    Value index = createIndexAdd(builder, loc, base, ids[0]);
    emit(builder, loc, TileRow{index, {}, toValue(builder, loc, extent)});
  };
  auto emitTiles = [&](OpFoldResult lower, OpFoldResult upper, int64_t rows) {
    emitBlocks(builder, loc, lower, upper, rows * width,
               [&](OpBuilder &b, Location l, Value base) {
                 emit(b, l, createTile(b, l, base, rows));
               });
  };
  OpFoldResult zero = builder.getIndexAttr(0);
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known >= width)
    return distributeKnownRows(builder, loc, *known, count, emit);
  if (known) {
    if (*known > 0)
      emitTail(zero);
    return;
  }
  OpFoldResult tiled = roundDown(builder, loc, extent, width * count);
  emitTiles(zero, tiled, count);
  if (getDivisor(extent) % width == 0)
    return emitTiles(tiled, extent, 1);
  // What is left over, row by row: the last one reaches back here too, unless the rows
  // are too few for that.
  Value end = toValue(builder, loc, extent);
  emitIfAtLeast(
      builder, loc, extent, width,
      [&] {
        Value last =
            arith::SubIOp::create(builder, loc, end, createIndex(builder, loc, width));
        auto loop = createLoop(builder, loc, tiled, end, width);
        builder.setInsertionPointToStart(loop.getBody());
        emit(builder, loc, createLastRow(builder, loc, loop.getInductionVar(), last));
      },
      [&] { emitTail(zero); });
}

Value WorkGroup::createIsOwn(OpBuilder &builder, Location loc,
                             const TileRow &row) const {
  if (!row.first)
    return createIsInside(builder, loc, row);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, row.index,
                               createOpaqueIndex(builder, loc, row.first, subgroupSize));
}

Value WorkGroup::createIsInside(OpBuilder &builder, Location loc, Value index,
                                OpFoldResult end) const {
  Value opaque =
      createOpaqueIndex(builder, loc, toValue(builder, loc, end), subgroupSize);
  return createIsBelow(builder, loc, index, opaque);
}

Value WorkGroup::createIsInside(OpBuilder &builder, Location loc,
                                const TileRow &row) const {
  if (!row.end)
    return {};
  return createIsInside(builder, loc, row.index, row.end);
}

/// `count` indices from `first` on.
static SmallVector<Value> createAdjacent(OpBuilder &builder, Location loc, Value first,
                                         int64_t count) {
  SmallVector<Value> indices;
  for (int64_t i = 0; i < count; ++i)
    indices.push_back(createIndexAdd(builder, loc, first, builder.getIndexAttr(i)));
  return indices;
}

Value WorkGroup::createIsOwn(OpBuilder &builder, Location loc,
                             const TileColumn &column) const {
  if (!column.first)
    return {};
  Value first = column.first;
  if (size[1] > 1)
    first = createOpaqueIndex(builder, loc, first, subgroupSize);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, column.index,
                               first);
}

void WorkGroup::distributeColumns(OpBuilder &builder, Location loc, OpFoldResult extent,
                                  int64_t count, EmitColumns emit) const {
  // Tiles are dealt out to the work-items of the second dimension one after the other.
  auto emitTiles = [&](int64_t lower, OpFoldResult tiles, int64_t columns, Value last) {
    distributeAll(builder, loc, 1, builder.getIndexAttr(0), tiles,
                  [&](OpBuilder &b, Location l, Value tile) {
                    Value first = createIndexAdd(
                        b, l, b.getIndexAttr(lower),
                        toValue(b, l, createIndexMul(b, l, tile, columns)));
                    Value base = last ? createIndexMin(b, l, first, last) : first;
                    SmallVector<TileColumn> tileColumns;
                    for (Value index : createAdjacent(b, l, base, columns))
                      tileColumns.push_back({index, last ? first : Value()});
                    emit(b, l, tileColumns);
                  });
  };
  if (std::optional<int64_t> known = getConstantIntValue(extent)) {
    if (*known == 0)
      return;
    EvenTiles tiles(*known, count);
    int64_t wide = tiles.narrow + 1;
    emitTiles(0, builder.getIndexAttr(tiles.numWide), wide, {});
    return emitTiles(tiles.numWide * wide, builder.getIndexAttr(tiles.numNarrow),
                     tiles.narrow, {});
  }
  if (count == 1)
    return emitTiles(0, extent, 1, {});
  // The last tile reaches back, unless the columns are too few for one.
  Value end = toValue(builder, loc, extent);
  bool isMultiple = getDivisor(extent) % count == 0;
  emitIfAtLeast(
      builder, loc, extent, count,
      [&] {
        Value width = createIndex(builder, loc, count);
        Value last =
            isMultiple ? Value() : arith::SubIOp::create(builder, loc, end, width);
        Value rounded =
            createIndexAdd(builder, loc, end, builder.getIndexAttr(count - 1));
        Value tiles = arith::DivUIOp::create(builder, loc, rounded, width);
        emitTiles(0, tiles, count, last);
      },
      [&] { emitTiles(0, extent, 1, {}); });
}

void WorkGroup::distributeTiles(OpBuilder &builder, Location loc, OpFoldResult rows,
                                OpFoldResult columns, const TileSchedule &tile,
                                EmitTile emit) const {
  auto emitRows = [&](OpBuilder &b, Location l, EmitRows emitTile) {
    distributeRows(b, l, rows, tile.rows, emitTile);
  };
  auto emitColumns = [&](OpBuilder &b, Location l, EmitColumns emitTile) {
    distributeColumns(b, l, columns, tile.columns, emitTile);
  };
  if (tile.columnsOutside)
    return emitColumns(
        builder, loc, [&](OpBuilder &b, Location l, ArrayRef<TileColumn> tileColumns) {
          emitRows(b, l, [&](OpBuilder &b, Location l, ArrayRef<TileRow> tileRows) {
            emit(b, l, tileRows, tileColumns);
          });
        });
  emitRows(builder, loc, [&](OpBuilder &b, Location l, ArrayRef<TileRow> tileRows) {
    emitColumns(b, l, [&](OpBuilder &b, Location l, ArrayRef<TileColumn> tileColumns) {
      emit(b, l, tileRows, tileColumns);
    });
  });
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
      first = arith::MulIOp::create(builder, loc, id, createIndex(builder, loc, columns));
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
