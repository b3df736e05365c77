//===- GroupsInLanes.h - Whether groups run as lanes ------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_STRATEGIES_GROUPSINLANES_H
#define TINYTC_LIB_STRATEGIES_GROUPSINLANES_H

#include "lib/Target/Machine.h"

#include "dialect/TinyTC.h"

#include "llvm/ADT/iterator_range.h"

namespace mlir::tinytc {

/// Whether a kernel leaves open how its groups run, on a machine that may run as many
/// as fill a register in step.
bool mayRunInLanes(FuncOp func, const Machine &machine);

/// Whether instructions take longer, one group after the other with rows in lanes, than
/// the same as operations on numbers of as many groups as there are lanes.
bool isFasterInLanes(ArrayRef<Operation *> instructions,
                     llvm::iterator_range<Block::iterator> numbers,
                     const Machine &machine);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_GROUPSINLANES_H
