//===- OutlineLoops.h - Functions for loops of large kernels ----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// LLVM's passes on loops take a time that grows with the square of the loops in a
// function. A kernel of many gets a function for each of its outermost loops, with the
// ops up to the next one. Those that are the same share one.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_OUTLINELOOPS_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_OUTLINELOOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tinytc {

/// Moves loops of the functions of a module that have many of them to functions of
/// their own.
void outlineLoops(gpu::GPUModuleOp kernels);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_OUTLINELOOPS_H
