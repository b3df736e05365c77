//===- RunSafely.h - Code that may crash ------------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_RUNSAFELY_H
#define TINYTC_LIB_FAMILIES_RUNSAFELY_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tinytc {

/// Runs LLVM's passes or its code generator; false if they crash. What they had then,
/// memory above all, stays as it is: nothing that they have seen may be used again.
bool runSafely(llvm::function_ref<void()> run);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_RUNSAFELY_H
