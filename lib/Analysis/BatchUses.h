//===- BatchUses.h - What a kernel computes from its batch ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_BATCHUSES_H
#define TINYTC_LIB_ANALYSIS_BATCHUSES_H

#include "lib/Analysis/LaunchIntegers.h"

namespace mlir::tinytc {

/// The instructions whose results change if the batch is split into several launches:
/// they use the group id other than as an index or to compare it with the number of
/// groups, or that number or a size in `batchSizes` other than to compare it with the
/// group id. `integers` must know all of the kernel.
std::vector<Operation *> getLaunchDependent(FuncOp func, const LaunchIntegers &integers,
                                            ArrayRef<Variable> batchSizes);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_BATCHUSES_H
