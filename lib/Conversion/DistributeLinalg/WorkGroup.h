//===- WorkGroup.h - Work-items of a work-group in loops --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A mode is cut into parts: full blocks, in which all work-items of a dimension take
// part, and the tail after them.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_WORKGROUP_H
#define TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_WORKGROUP_H

#include "lib/Analysis/Strategy.h"
#include "lib/Target/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// A row of a tile, one for each work-item. At the end of the rows there are fewer than
/// work-items: the tile then overlaps rows that another tile writes or, if there are
/// not enough for that, goes beyond the end.
struct TileRow {
  Value index;
  /// Rows before this one are written by another tile; null: none are.
  Value first;
  /// This row and those after it do not exist; null: all do.
  Value end;
  /// The row of the first work-item, given for the first row of a tile; null: row 0.
  Value base = {};
};

/// A column of a tile, the same for all lanes of a subgroup unless these lie in several
/// columns of a grid.
struct TileColumn {
  Value index;
  /// Columns before this one are written by another tile; null: none are.
  Value first;
};

/// Emits the body of a distributed loop for one index.
using EmitBody = function_ref<void(ImplicitLocOpBuilder &, Value)>;
/// Emits the body for adjacent indices that one work-item handles at once.
using EmitAdjacent = function_ref<void(ImplicitLocOpBuilder &, ArrayRef<Value>)>;
using EmitColumns = function_ref<void(ImplicitLocOpBuilder &, ArrayRef<TileColumn>)>;
using EmitRows = function_ref<void(ImplicitLocOpBuilder &, ArrayRef<TileRow>)>;
using EmitTile =
    function_ref<void(ImplicitLocOpBuilder &, ArrayRef<TileRow>, ArrayRef<TileColumn>)>;

/// The two-dimensional work-group that a kernel runs in: the first dimension is spread
/// over the rows of a destination, the second one over its columns.
class WorkGroup {
public:
  /// Part of a mode that is distributed along a dimension.
  struct Part {
    OpFoldResult lower, upper;
    bool isTail;
  };

  /// Creates the local ids at the builder's insertion point.
  WorkGroup(ImplicitLocOpBuilder &builder, TargetAttr target, ArrayRef<int32_t> size,
            int32_t subgroupSize);

  int64_t getSize(unsigned dim) const { return size[dim]; }
  int32_t getSubgroupSize() const { return subgroupSize; }
  const Machine &getMachine() const { return *machine; }
  int64_t getNumSubgroups() const { return numSubgroups; }
  /// The same work-items, `width` of them along the rows, whatever subgroup they are
  /// in; `sharesColumns` as below.
  WorkGroup withGrid(ImplicitLocOpBuilder &builder, int64_t width,
                     bool sharesColumns) const;
  /// Whether tiles are chosen so that each work-item of the second dimension has some
  /// of the columns.
  bool sharesColumns() const { return columnsAreShared; }

  /// A loop that the driver unrolls only if that helps on the target.
  scf::ForOp createLoop(ImplicitLocOpBuilder &builder, OpFoldResult lower,
                        OpFoldResult upper, int64_t step, ValueRange inits = {}) const;

  /// Cuts [lower, upper) into parts.
  SmallVector<Part, 2> getParts(ImplicitLocOpBuilder &builder, unsigned dim,
                                OpFoldResult lower, OpFoldResult upper) const;

  /// The index of the work-item in a tail; it may be past the end.
  Value getTailIndex(ImplicitLocOpBuilder &builder, unsigned dim,
                     const Part &part) const;

  /// Calls `emit` for the indices of a part that belong to the work-item.
  void distribute(ImplicitLocOpBuilder &builder, unsigned dim, const Part &part,
                  EmitBody emit) const;

  /// Loops over rows x columns in tiles. The rows of a work-item lie `getSize(0)`
  /// apart, if the tile of the strategy leaves them single; its columns are adjacent
  /// and distributed along the second dimension.
  void distributeTiles(ImplicitLocOpBuilder &builder, OpFoldResult rows,
                       OpFoldResult columns, const Strategy &strategy,
                       EmitTile emit) const;

  /// Whether a row is written by this tile: it exists and no other tile writes it.
  /// Null: always. Created again wherever it is needed.
  Value createBelongsToTile(ImplicitLocOpBuilder &builder, const TileRow &row) const;
  Value createIsInside(ImplicitLocOpBuilder &builder, const TileRow &row) const;
  /// Whether an index that differs between work-items is below `end`.
  Value createIsInside(ImplicitLocOpBuilder &builder, Value index,
                       OpFoldResult end) const;

  /// Whether a column is written by this tile; null: always.
  Value createBelongsToTile(ImplicitLocOpBuilder &builder,
                            const TileColumn &column) const;

  /// Loops over [0, extent) in tiles of up to `count` adjacent indices,
  /// distributed to the subgroups. All work-items of a subgroup run the same tiles.
  void distributeSubgroups(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                           int64_t count, EmitAdjacent emit) const;

private:
  /// `rows` rows in a block that starts at `base`, of which the largest power of two up
  /// to `adjacentRows` that divides them are adjacent.
  SmallVector<TileRow> createTile(ImplicitLocOpBuilder &builder, Value base,
                                  int64_t rows, int64_t adjacentRows) const;
  /// The row that starts at `first`, or at `last` if that is before it.
  TileRow createLastRow(ImplicitLocOpBuilder &builder, Value first, Value last) const;
  /// Loops over the rows [0, extent) in tiles of up to `count` for each work-item.
  void distributeRows(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                      const Strategy &strategy, EmitRows emit) const;
  /// The same for `extent` rows, at least as many as the work-group is wide.
  void distributeKnownRows(ImplicitLocOpBuilder &builder, int64_t extent,
                           const Strategy &strategy, EmitRows emit) const;
  /// Loops over the columns [0, extent) in tiles of up to `count`.
  void distributeColumns(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                         int64_t count, EmitColumns emit) const;
  /// The same for an unknown number of columns that the work-items of the second
  /// dimension share.
  void distributeSharedColumns(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                               int64_t count, EmitColumns emit) const;
  void distributeAll(ImplicitLocOpBuilder &builder, unsigned dim, OpFoldResult lower,
                     OpFoldResult upper, EmitBody emit) const;
  /// Calls `emit` for the base of each block of `step` indices in [lower, upper); upper
  /// is a multiple of step away from lower.
  void emitBlocks(ImplicitLocOpBuilder &builder, OpFoldResult lower, OpFoldResult upper,
                  int64_t step, EmitBody emit) const;

  SmallVector<int64_t, 2> size;
  SmallVector<Value, 2> ids;
  int32_t subgroupSize;
  int64_t numSubgroups;
  /// Whether lanes of a subgroup differ in their place along the second dimension.
  bool dividesSubgroups = false;
  bool columnsAreShared = false;
  const Machine *machine;
};

/// Moves the builder into a block that runs if `condition` holds; null: it always
/// holds.
void enterIf(ImplicitLocOpBuilder &builder, Value condition);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_WORKGROUP_H
