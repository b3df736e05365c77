//===- MatrixUnit.h - What a matrix unit multiplies -------------*- C++ -*-===//

#ifndef TINYTC_LIB_ANALYSIS_MATRIXUNIT_H
#define TINYTC_LIB_ANALYSIS_MATRIXUNIT_H

#include "dialect/TinyTC.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// Whether products of f32 around `op` may ignore the last 13 bits of the factors.
bool mayUseTF32(Operation *op);

/// The type in which the matrix unit sums up products of `a` and `b` for a result of
/// type `c`; null if it does not have them.
Type getMatrixUnitSumType(Type a, Type b, Type c, bool allowTF32);

/// The rows of B that the unit sums over at once, for elements of `type`.
int64_t getMatrixUnitDepth(Type type);

/// The most columns of one operation of the matrix unit.
inline constexpr int64_t kMaxUnitColumns = 8;

/// Whether subgroups of that size compute a product on the matrix unit.
bool runsOnMatrixUnit(GemmOp op, const Machine &machine, int32_t subgroupSize);

/// What a work-group computes of C with factors in local memory, on a unit that has as
/// many lanes as columns: a grid of subgroups, each of which has a tile. Parts of both
/// factors for some steps are in local memory at a time, in pieces: what a work-item
/// brings to an operation.
struct PackedProduct {
  static constexpr int64_t kPieceBytes = 32;

  /// Operations in a tile, tiles in the grid, steps of the summed mode at a time.
  int64_t rowBlocks, columnBlocks, gridRows, gridColumns, steps;

  int64_t getRows() const { return gridRows * rowBlocks * kMaxUnitColumns; }
  int64_t getColumns() const { return gridColumns * columnBlocks * kMaxUnitColumns; }
  int64_t getBytes() const { return (getRows() + getColumns()) * steps * kPieceBytes; }
};

/// Chooses how `numSubgroups` subgroups compute a product; blocks of rows and columns
/// of tiles may be given. Null if sizes are dynamic, or if work-items that read their
/// own elements would take fewer instructions.
std::optional<PackedProduct> choosePackedProduct(GemmOp op, const Machine &machine,
                                                 int64_t numSubgroups,
                                                 ScheduleAttr given);

/// The bytes in which a product of `func` packs its factors, if it does.
std::optional<int64_t> getPackedBytes(GemmOp op, FuncOp func);

/// The tile of C that a warp computes on tensor cores: in blocks of the rows and
/// columns of one operation, C being transposed; and the operations along the summed
/// mode whose numbers are loaded at once.
struct WarpTile {
  int64_t rowBlocks, columnBlocks, steps;

  int64_t getRows() const;
  int64_t getColumns() const;
};

/// Chooses the tile for factors of `type`; sizes may be dynamic. Entries of `given`
/// that are not 0 are kept: blocks of rows, columns, operations.
WarpTile chooseWarpTile(int64_t rows, int64_t columns, int64_t summed, Type type,
                        ScheduleAttr given);

/// The number of these tiles; one along modes that are dynamic.
int64_t countWarpTiles(GemmOp op, ScheduleAttr given);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_MATRIXUNIT_H
