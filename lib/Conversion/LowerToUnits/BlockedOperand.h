//===- BlockedOperand.h - Matrices that are read by blocks --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_BLOCKEDOPERAND_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_BLOCKEDOPERAND_H

#include "lib/Conversion/LowerToUnits/ProductTiles.h"

namespace mlir::tinytc {

/// A matrix in memory that a subgroup may read by blocks (tinytc.subgroup_block_load).
class BlockedOperand : public ProductOperand {
public:
  using ProductOperand::ProductOperand;

  /// Whether blocks can be read, by what is known of sizes and strides.
  bool mayReadBlocks() const;

  /// Computes what block loads need, once; returns whether they are possible.
  Value prepareBlocks(ImplicitLocOpBuilder &builder);

  /// The elements (row + lane, column + i) of `op(X)` for i below `count`; of f32 that
  /// is not transposed the halves of (row + lane / 2, column + i).
  SmallVector<Value> loadBlock(ImplicitLocOpBuilder &builder, Value row, Value column,
                               int64_t count) const;

  /// The elements (row + 2 lane + i mod 2, column + i / 2) of `op(X)`, bytes, for i
  /// below 2 `count`; 8 columns at once or, if X is transposed, 32 and `column` not
  /// below 0. `isEven` says whether `row` is known to be even.
  SmallVector<Value> loadPairs(ImplicitLocOpBuilder &builder, Value row, Value column,
                               int64_t count, bool isEven) const;

private:
  Value base, offset, stride;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_BLOCKEDOPERAND_H
