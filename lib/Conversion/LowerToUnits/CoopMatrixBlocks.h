//===- CoopMatrixBlocks.h - Coopmatrices that are read by blocks -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXBLOCKS_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXBLOCKS_H

#include "lib/Conversion/LowerToUnits/BlockedOperand.h"
#include "lib/IR/CoopMatrixLayout.h"

namespace mlir::tinytc {

/// Reads a coopmatrix at (x, y) of a memref by tinytc.subgroup_block_load, where work-
/// items get the elements of a block that they hold of the matrix.
class CoopMatrixBlocks {
public:
  CoopMatrixBlocks(ImplicitLocOpBuilder &builder, const CoopMatrixLayout &layout,
                   Value memref, bool transposed, bool hasPairs);

  /// Whether there are such blocks, by what is known of layout, memref and place.
  bool exist(Value x, Value y) const;

  /// Computes what block loads need, once; returns whether they are possible.
  Value prepare() { return matrix.prepareBlocks(builder); }

  /// Loads the components of the matrix at (x, y). Elements outside of the memref are
  /// zero. With `mayBeFar`, x and y may be too large for 32 bits.
  SmallVector<Value> load(Value x, Value y, bool mayBeFar);

private:
  ImplicitLocOpBuilder &builder;
  CoopMatrixLayout layout;
  BlockedOperand matrix;
  /// Whether two blocks of rows are taken for one whose rows go to work-items in pairs.
  bool hasPairs;
  /// Columns of a block; 0: there is none.
  int64_t columns;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXBLOCKS_H
