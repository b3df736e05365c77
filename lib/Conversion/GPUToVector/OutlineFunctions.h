//===- OutlineFunctions.h - Calls of functions of math ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_OUTLINEFUNCTIONS_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_OUTLINEFUNCTIONS_H

#include "dialect/TinyTC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tinytc {

/// Whether an op becomes the arithmetic of a function of math. Sines, cosines and
/// remainders do if the processor has fused multiply-adds.
bool isExpanded(Operation *op, bool fuses);

/// Makes calls of all functions of math if the kernels have many, since LLVM's
/// backend takes seconds for more, and of other arithmetic in a row whose values need
/// many registers. What is called is a `gpu.func` that is no kernel,
/// at the end of the module: its parameters are the operands of `known_block_size`
/// lanes in memory, then where the results go.
void outlineFunctions(gpu::GPUModuleOp kernels, int64_t registerBytes, bool fuses);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_OUTLINEFUNCTIONS_H
