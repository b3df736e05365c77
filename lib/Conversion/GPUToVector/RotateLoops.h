//===- RotateLoops.h - Loops that test their end last -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_ROTATELOOPS_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_ROTATELOOPS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tinytc {

/// Adds the pattern that makes an `scf.for` blocks, of which the last one tests whether
/// there is another iteration.
void populateLoopRotationPatterns(RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_ROTATELOOPS_H
