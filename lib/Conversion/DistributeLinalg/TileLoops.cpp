//===- TileLoops.cpp - Tiles of a destination in loops --------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/Indices.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/DistributeLinalg/WorkGroup.h"

#include "lib/Analysis/Divisibility.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

SmallVector<TileRow> WorkGroup::createTile(ImplicitLocOpBuilder &builder, Value base,
                                           int64_t rows, int64_t adjacentRows) const {
  int64_t adjacent = std::gcd(rows, adjacentRows);
  Value first =
      createIndexAdd(builder, base,
                     toValue(builder, createIndexMul(builder, ids[0],
                                                     builder.getIndexAttr(adjacent))));
  SmallVector<TileRow> tile;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t offset = i / adjacent * adjacent * size[0] + i % adjacent;
    tile.push_back(
        {createIndexAdd(builder, first, builder.getIndexAttr(offset)), {}, {}});
  }
  tile.front().base = base;
  return tile;
}

TileRow WorkGroup::createLastRow(ImplicitLocOpBuilder &builder, Value first,
                                 Value last) const {
  Value base = createIndexMin(builder, first, last);
  return {createIndexAdd(builder, base, ids[0]), first, {}, base};
}

void WorkGroup::distributeKnownRows(ImplicitLocOpBuilder &builder, int64_t extent,
                                    const Strategy &strategy, EmitRows emit) const {
  int64_t width = size[0];
  EvenTiles tiles(llvm::divideCeil(extent, width), strategy.rows);
  auto emitTiles = [&](int64_t lower, int64_t numTiles, int64_t rows) {
    OpFoldResult upper = builder.getIndexAttr((lower + numTiles * rows) * width);
    emitBlocks(builder, builder.getIndexAttr(lower * width), upper, rows * width,
               [&](ImplicitLocOpBuilder &b, Value base) {
                 // The last row is at the very end: it computes rows twice, rather than
                 // leaving work-items idle in the loop.
                 bool reachesBack = *getConstantIntValue(upper) > extent;
                 SmallVector<TileRow> tile =
                     createTile(b, base, rows, reachesBack ? 1 : strategy.adjacent);
                 if (reachesBack)
                   tile.back() = createLastRow(
                       b, createIndexAdd(b, base, b.getIndexAttr((rows - 1) * width)),
                       createIndex(b, extent - width));
                 emit(b, tile);
               });
  };
  // The last tile is a wide one, in which more than the last row may be.
  emitTiles(0, tiles.numNarrow, tiles.narrow);
  emitTiles(tiles.numNarrow * tiles.narrow, tiles.numWide, tiles.narrow + 1);
}

/// Emits `then` for an `extent` of at least `least`, `otherwise` for a smaller one. If
/// the extent is known to be 0 or large enough, emits only `then`, whose loops are
/// empty for 0.
static void emitIfAtLeast(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                          int64_t least, function_ref<void()> then,
                          function_ref<void()> otherwise) {
  OpBuilder::InsertionGuard guard(builder);
  if (isZeroOrAtLeast(extent, least))
    return then();
  Value isLarge =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                            toValue(builder, extent), createIndex(builder, least));
  auto branch = scf::IfOp::create(builder, isLarge, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

void WorkGroup::distributeRows(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                               const Strategy &strategy, EmitRows emit) const {
  int64_t width = size[0], count = strategy.rows;
  // The condition only guards loads and stores: the loop between them is the same for
  // all work-items.
  auto emitTail = [&](OpFoldResult base) {
    Value index = createIndexAdd(builder, base, ids[0]);
    emit(builder, TileRow{index, {}, toValue(builder, extent)});
  };
  auto emitTiles = [&](OpFoldResult lower, OpFoldResult upper, int64_t rows) {
    emitBlocks(builder, lower, upper, rows * width,
               [&](ImplicitLocOpBuilder &b, Value base) {
                 emit(b, createTile(b, base, rows, strategy.adjacent));
               });
  };
  OpFoldResult zero = builder.getIndexAttr(0);
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known >= width)
    return distributeKnownRows(builder, *known, strategy, emit);
  if (known) {
    if (*known > 0)
      emitTail(zero);
    return;
  }
  if (sharesColumns()) {
    // Of at least eight rows of a work-item, half of them may be left for a tile. Those
    // that are then beyond the end are loaded as the last one, and not written.
    OpFoldResult lower = zero;
    for (int64_t part = count; part > 1; part = part == 8 ? 4 : 1) {
      OpFoldResult upper = roundDown(builder, extent, width * part);
      emitTiles(lower, upper, part);
      lower = upper;
    }
    return emitBlocks(
        builder, lower, extent, width, [&](ImplicitLocOpBuilder &b, Value base) {
          emit(b, TileRow{createIndexAdd(b, base, ids[0]), {}, toValue(b, extent)});
        });
  }
  OpFoldResult tiled = roundDown(builder, extent, width * count);
  emitTiles(zero, tiled, count);
  if (getDivisor(extent) % width == 0)
    return emitTiles(tiled, extent, 1);
  // The remainder, row by row: the last one overlaps the one before it here too, unless
  // the rows are too few for that.
  Value end = toValue(builder, extent);
  emitIfAtLeast(
      builder, extent, width,
      [&] {
        Value last = arith::SubIOp::create(builder, end, createIndex(builder, width));
        auto loop = createLoop(builder, tiled, end, width);
        builder.setInsertionPointToStart(loop.getBody());
        emit(builder, createLastRow(builder, loop.getInductionVar(), last));
      },
      [&] { emitTail(zero); });
}

Value WorkGroup::createBelongsToTile(ImplicitLocOpBuilder &builder,
                                     const TileRow &row) const {
  if (!row.first)
    return createIsInside(builder, row);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, row.index,
                               OpaqueIndexOp::create(builder, row.first));
}

Value WorkGroup::createIsInside(ImplicitLocOpBuilder &builder,
                                const TileRow &row) const {
  if (!row.end)
    return {};
  return createIsInside(builder, row.index, row.end);
}

Value WorkGroup::createBelongsToTile(ImplicitLocOpBuilder &builder,
                                     const TileColumn &column) const {
  if (!column.first)
    return {};
  Value first = column.first;
  if (dividesSubgroups) {
    // An opaque value has to be the same for all lanes of a subgroup.
    Value zero = OpaqueIndexOp::create(builder, createIndex(builder, 0));
    Value distance = arith::SubIOp::create(builder, column.index, first);
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, distance, zero);
  }
  if (size[1] > 1)
    first = OpaqueIndexOp::create(builder, first);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, column.index, first);
}

void WorkGroup::distributeSharedColumns(ImplicitLocOpBuilder &builder,
                                        OpFoldResult extent, int64_t count,
                                        EmitColumns emit) const {
  int64_t shares = size[1];
  OpFoldResult lower = builder.getIndexAttr(0);
  auto emitPart = [&](OpFoldResult upper, int64_t columns, bool isTail) {
    emitBlocks(builder, lower, upper, shares * columns,
               [&](ImplicitLocOpBuilder &b, Value base) {
                 Value first = createIndexAdd(
                     b, base,
                     toValue(b, createIndexMul(b, ids[1], b.getIndexAttr(columns))));
                 OpBuilder::InsertionGuard guard(b);
                 enterIf(b, isTail ? createIsInside(b, first, extent) : Value());
                 SmallVector<TileColumn> tile;
                 for (Value index : createAdjacent(b, first, columns))
                   tile.push_back({index, Value()});
                 emit(b, tile);
               });
    lower = upper;
  };
  // Of at least eight columns of a work-item, a quarter of them may be left for a tile.
  for (int64_t part = count; part > 1; part = part == 8 ? 2 : 1)
    emitPart(roundDown(builder, extent, shares * part), part, /*isTail=*/false);
  emitPart(extent, 1, /*isTail=*/getDivisor(extent) % shares != 0);
}

void WorkGroup::distributeColumns(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                                  int64_t count, EmitColumns emit) const {
  // Tiles are distributed in turn over the work-items of the second dimension.
  auto emitTiles = [&](int64_t lower, OpFoldResult tiles, int64_t columns, Value last) {
    distributeAll(builder, 1, builder.getIndexAttr(0), tiles,
                  [&](ImplicitLocOpBuilder &b, Value tile) {
                    Value first = createIndexAdd(
                        b, b.getIndexAttr(lower),
                        toValue(b, createIndexMul(b, tile, b.getIndexAttr(columns))));
                    Value base = last ? createIndexMin(b, first, last) : first;
                    SmallVector<TileColumn> tileColumns;
                    for (Value index : createAdjacent(b, base, columns))
                      tileColumns.push_back({index, last ? first : Value()});
                    emit(b, tileColumns);
                  });
  };
  if (std::optional<int64_t> known = getConstantIntValue(extent)) {
    if (*known == 0)
      return;
    // As many rounds of all work-items as there are; the last tile overlaps another.
    if (sharesColumns() && count > 1 && *known > count && *known % count != 0)
      return emitTiles(0, builder.getIndexAttr(llvm::divideCeil(*known, count)), count,
                       createIndex(builder, *known - count));
    EvenTiles tiles(*known, count);
    int64_t wide = tiles.narrow + 1;
    emitTiles(0, builder.getIndexAttr(tiles.numWide), wide, {});
    return emitTiles(tiles.numWide * wide, builder.getIndexAttr(tiles.numNarrow),
                     tiles.narrow, {});
  }
  if (sharesColumns())
    return distributeSharedColumns(builder, extent, count, emit);
  if (count == 1)
    return emitTiles(0, extent, 1, {});
  // The last tile overlaps the one before it, unless the columns are too few for one.
  Value end = toValue(builder, extent);
  bool isMultiple = getDivisor(extent) % count == 0;
  emitIfAtLeast(
      builder, extent, count,
      [&] {
        Value width = createIndex(builder, count);
        Value last = isMultiple ? Value() : arith::SubIOp::create(builder, end, width);
        Value rounded = createIndexAdd(builder, end, builder.getIndexAttr(count - 1));
        Value tiles = arith::DivUIOp::create(builder, rounded, width);
        emitTiles(0, tiles, count, last);
      },
      [&] { emitTiles(0, extent, 1, {}); });
}

void WorkGroup::distributeTiles(ImplicitLocOpBuilder &builder, OpFoldResult rows,
                                OpFoldResult columns, const Strategy &strategy,
                                EmitTile emit) const {
  auto emitRows = [&](ImplicitLocOpBuilder &b, EmitRows emitTile) {
    distributeRows(b, rows, strategy, emitTile);
  };
  auto emitColumns = [&](ImplicitLocOpBuilder &b, EmitColumns emitTile) {
    distributeColumns(b, columns, strategy.columns, emitTile);
  };
  if (strategy.columnsOutside)
    return emitColumns(
        builder, [&](ImplicitLocOpBuilder &b, ArrayRef<TileColumn> tileColumns) {
          emitRows(b, [&](ImplicitLocOpBuilder &b, ArrayRef<TileRow> tileRows) {
            emit(b, tileRows, tileColumns);
          });
        });
  emitRows(builder, [&](ImplicitLocOpBuilder &b, ArrayRef<TileRow> tileRows) {
    emitColumns(b, [&](ImplicitLocOpBuilder &b, ArrayRef<TileColumn> tileColumns) {
      emit(b, tileRows, tileColumns);
    });
  });
}
