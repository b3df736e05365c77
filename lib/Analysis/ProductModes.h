//===- ProductModes.h - Modes of the same size ------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_PRODUCTMODES_H
#define TINYTC_LIB_ANALYSIS_PRODUCTMODES_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// A mode of an operand.
struct OperandMode {
  OpOperand *operand;
  int64_t mode;
};

/// Two modes that must have the same size: one of a factor, and the one that gives the
/// product its size. That is the destination's if it has the mode.
struct EqualModes {
  OperandMode mode, reference;
};

SmallVector<EqualModes> getEqualModes(BlasOpInterface op);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_PRODUCTMODES_H
