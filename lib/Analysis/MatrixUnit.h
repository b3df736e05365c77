//===- MatrixUnit.h - What a matrix unit multiplies -------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_MATRIXUNIT_H
#define TINYTC_LIB_ANALYSIS_MATRIXUNIT_H

#include "lib/Analysis/Strategy.h"
#include "lib/IR/CoopMatrixLayout.h"
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

/// Whether a machine has a unit for subgroups of that size that multiplies the types of
/// a product.
bool canMultiplyOnUnit(GemmOp op, const Machine &machine, int32_t subgroupSize);

/// The layouts of A, B and C in a product of coopmatrices.
struct CoopMatrixProduct {
  CoopMatrixLayout a, b, c;

  /// The rows of B, which are summed over.
  int64_t getDepth() const { return b.type.getRows(); }
};

/// Whether the work-items hold coopmatrices as the matrix unit takes them: C has at
/// least as many rows as there are lanes, and the depth is a multiple of the unit's.
bool isMatrixUnitProduct(const CoopMatrixProduct &product);

/// Whether fragments for tensor cores are few exchanges away: C has multiples of 32
/// rows, the depth is a multiple of 32 or that of one operation, and it is no large
/// product.
bool isTensorCoreProduct(const CoopMatrixProduct &product);

/// A work-group's part of C with factors in local memory, on a unit that has as
/// many lanes as columns: a grid of subgroups, each of which has a tile. Parts of both
/// factors for some steps are in local memory at a time, in pieces: what a work-item
/// brings to an operation.
struct PackedProduct {
  static constexpr int64_t kPieceBytes = 32;

  /// The product of a strategy.
  static PackedProduct get(const Strategy &strategy);

  /// Operations in a tile, tiles in the grid, steps of the summed mode at a time.
  int64_t rowBlocks, columnBlocks, gridRows, gridColumns, steps;

  int64_t getRows() const { return gridRows * rowBlocks * kMaxUnitColumns; }
  int64_t getColumns() const { return gridColumns * columnBlocks * kMaxUnitColumns; }
  int64_t getBytes() const { return (getRows() + getColumns()) * steps * kPieceBytes; }
};

/// The tile of C that a warp computes on tensor cores: in blocks of the rows and
/// columns of one operation, C being transposed; and the operations along the summed
/// mode whose numbers are loaded at once.
struct WarpTile {
  int64_t rowBlocks, columnBlocks, steps;

  /// The tile of a strategy.
  static WarpTile get(const Strategy &strategy);

  int64_t getRows() const;
  int64_t getColumns() const;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_MATRIXUNIT_H
