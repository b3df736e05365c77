//===- Reduction.h - Sums at the linalg stage -------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The form of sums: strategies depend on it, and distribution relies on it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_REDUCTION_H
#define TINYTC_LIB_ANALYSIS_REDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace mlir::tinytc {

/// A reduction at the linalg stage: fill of the accumulator, sum, write-back.
struct Reduction {
  linalg::FillOp fill;
  linalg::GenericOp sum;
  /// The write-back, null if it is atomic.
  linalg::GenericOp update;
  /// The atomic write-back, a loop that loads the sums; null if it is not atomic.
  scf::ForallOp atomicUpdate;

  /// The reduction whose sum is `op`, if the ops around it have the form above.
  static std::optional<Reduction> match(linalg::GenericOp op);

  /// The write-back; null if the sums are unused.
  Operation *getUpdate() const;

  /// Whether new elements of the destination do not depend on old ones.
  bool overwrites() const;

  /// The sizes of the destination as far as they are static.
  ArrayRef<int64_t> getShape() const;
  /// The type of the accumulator's elements.
  Type getAccumulatorType() const;
};

/// Whether `op` is the update of a reduction; it is rewritten along with the sum.
bool isUpdateOfReduction(Operation *op);

/// Whether new elements of the destination do not depend on old ones.
bool overwrites(linalg::GenericOp op);

/// Whether the elements of a memref's first mode are adjacent.
bool isFirstModeContiguous(Value memref);

/// The input that the summed mode indexes, and the place of that mode.
std::pair<unsigned, unsigned> findSummedMode(linalg::GenericOp op);

/// Whether the elements of a vector or a scalar are sums along lines that are
/// contiguous in all inputs.
bool sumsAlongLines(linalg::GenericOp op);

/// Whether the rows of the destination, its mode `rowMode`, share the elements of an
/// input, which differ along the summed mode.
bool isSharedByRows(linalg::GenericOp op, unsigned input, unsigned rowMode);

/// The input of a product of complex matrices that lanes can read by parts, as it is
/// contiguous along the rows of the destination; the other one is the same for all
/// lanes. None if the sum is no such product.
std::optional<unsigned> findComplexRows(const Reduction &reduction);

/// Whether such a product is one of the conjugate of an input.
bool isConjugated(linalg::GenericOp op, unsigned input);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_REDUCTION_H
