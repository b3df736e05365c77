//===- Elementwise.h - Element-wise ops and parallel loops ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The form of these ops of the linalg stage: strategies and distribution depend
// on it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_ELEMENTWISE_H
#define TINYTC_LIB_ANALYSIS_ELEMENTWISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tinytc {

/// Whether `op` is work for the work-items: a linalg op or a parallel loop, but no
/// fill, which belongs to a reduction, nor the update of one.
bool isDistributed(Operation *op);

/// Whether an element-wise op of several modes traverses its operands, all of which are
/// contiguous, in memory order: the modes may be one.
bool isInMemoryOrder(linalg::GenericOp op);

/// Whether the lines of an input, whose elements have at least 32 bits, lie along the
/// other mode than those of the destination.
bool isTransposedInput(linalg::GenericOp op, unsigned input);

/// The smallest square that vectors of one work-item transpose.
inline constexpr int64_t kMinTransposedSquare = 4;

/// Whether an op only copies lines of such an input to columns, in squares of that size
/// at least.
bool isTransposedCopy(linalg::GenericOp op);

/// Whether `op` writes to memory and nothing uses a result of it.
bool isUnusedWrite(Operation *op);

/// The loop that is all of a parallel loop's body, if it carries values along a line
/// and several lines can be walked through at once; null otherwise.
scf::ForOp getLoopOverLine(scf::ForallOp op);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_ELEMENTWISE_H
