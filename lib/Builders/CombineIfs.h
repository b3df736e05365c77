//===- CombineIfs.h - Conditionals next to each other -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_COMBINEIFS_H
#define TINYTC_LIB_BUILDERS_COMBINEIFS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tinytc {

/// Lets upstream's pattern for two adjacent conditionals make none of more than 64
/// results: each step copies them all, so that thousands would take a quadratic time.
void boundCombinedIfs(RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_COMBINEIFS_H
