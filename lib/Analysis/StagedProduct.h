//===- StagedProduct.h - Products with stages in local memory ---*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_STAGEDPRODUCT_H
#define TINYTC_LIB_ANALYSIS_STAGEDPRODUCT_H

#include "lib/Analysis/Strategy.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// The part of a factor in a stage: `size` rows of op(A), or columns of op(B), by
/// `steps` of the summed mode. Its lines are those of the matrix in memory.
struct StagedFactor {
  int64_t size, steps;
  /// Whether lines go along the rows or columns; else along the summed mode.
  bool isAlongSize;
  /// Elements of a copy.
  int64_t atOnce;
  /// Elements from one line to the next.
  int64_t stride;
  /// In odd lines, such parts exchange their places with their neighbours; 0: none do.
  /// Together with the stride, no lanes then read from one bank at a time.
  int64_t exchanged;

  int64_t getLineLength() const { return isAlongSize ? size : steps; }
  int64_t getNumLines() const { return isAlongSize ? steps : size; }
  int64_t getNumElements() const { return getNumLines() * stride; }
  int64_t getNumCopies() const { return getNumLines() * getLineLength() / atOnce; }
};

/// A product by the strategy `staged_factors`: a work-group computes tiles of C one
/// after the other, each subgroup a part of them, and copies the factors of a tile step
/// by step into a ring of stages.
struct StagedProduct {
  /// The product as the strategy says, if the machine can compute it so.
  static std::optional<StagedProduct> match(GemmOp op, const Machine &machine,
                                            const Strategy &strategy);

  /// Rows and columns of a subgroup's part: by multiply-adds of lanes, or on tensor
  /// cores.
  static constexpr int64_t kLaneRows = 64, kLaneColumns = 32, kUnitSize = 32;

  /// Those for numbers of `type`.
  static int64_t getPartRows(Type type) { return type.isF64() ? kUnitSize : kLaneRows; }
  static int64_t getPartColumns(Type type) {
    return type.isF64() ? kUnitSize : kLaneColumns;
  }

  /// The numbers of A, B and C.
  Type type;
  StagedFactor a, b;
  int64_t gridRows, gridColumns, stages;

  int64_t getRows() const { return a.size; }
  int64_t getColumns() const { return b.size; }
  int64_t getSteps() const { return a.steps; }
  int64_t getNumSubgroups() const { return gridRows * gridColumns; }
  /// Elements of a stage, in which A comes first.
  int64_t getStageElements() const { return a.getNumElements() + b.getNumElements(); }
  int64_t getStageBytes() const;
  int64_t getBytes() const { return stages * getStageBytes(); }
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_STAGEDPRODUCT_H
