//===- MatrixUnit.h - What a matrix unit multiplies -------------*- C++ -*-===//

#ifndef TINYTC_LIB_ANALYSIS_MATRIXUNIT_H
#define TINYTC_LIB_ANALYSIS_MATRIXUNIT_H

#include "dialect/TinyTC.h"
#include "lib/Analysis/LocalMemory.h"
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

/// Factors in local memory as a unit takes them that has as many lanes as columns: the
/// rows of op(A), the columns of op(B) and the summed mode in whole operations.
struct PackedFactors {
  int64_t rows, columns, summed;
  Type type;

  int64_t getNumBytes() const;
};

/// The factors of a product; null if their sizes are dynamic.
std::optional<PackedFactors> getPackedFactors(GemmOp op);

/// Where the product packs them, once tinytc-allocate-local-memory has chosen that.
std::optional<LocalRange> getLocalRange(GemmOp op);

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
