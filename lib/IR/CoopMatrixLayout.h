//===- CoopMatrixLayout.h - Which work-item holds a component ---*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The one place that knows how a coopmatrix is spread over a subgroup
// (docs/decisions/coopmatrices.md).
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_IR_COOPMATRIXLAYOUT_H
#define TINYTC_LIB_IR_COOPMATRIXLAYOUT_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// A work-item holds row `lane % blockRows` of each block of rows, and in it each
/// `sideBySide`-th column from column `lane / blockRows` on: entry (block, step) of its
/// vector is row `lane % blockRows + block * blockRows` and column
/// `lane / blockRows + step * sideBySide`. What is outside of the matrix is padding.
struct CoopMatrixLayout {
  CoopMatrixLayout(CoopMatrixType type, int32_t subgroupSize);

  /// The length of a work-item's vector, with padding.
  int64_t getNumComponents() const { return rowBlocks * steps; }

  /// The place of an entry in the vector: `interleaved` blocks alternate.
  int64_t getPosition(int64_t block, int64_t step) const;
  /// The inverse of getPosition.
  int64_t getBlock(int64_t position) const;
  int64_t getStep(int64_t position) const;

  /// Whether an entry is outside of the matrix in some work-item.
  bool mayBeBelow(int64_t block) const {
    return (block + 1) * blockRows > type.getRows();
  }
  bool mayBeBeside(int64_t step) const {
    return (step + 1) * sideBySide > type.getColumns();
  }

  CoopMatrixType type;
  int32_t subgroupSize;
  /// Rows of a block; columns that the subgroup holds side by side.
  int64_t blockRows, sideBySide;
  int64_t rowBlocks, steps;
  int64_t interleaved;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_IR_COOPMATRIXLAYOUT_H
