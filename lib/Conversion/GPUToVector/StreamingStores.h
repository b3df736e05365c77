//===- StreamingStores.h - Stores past the caches ---------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_STREAMINGSTORES_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_STREAMINGSTORES_H

#include "lib/Target/Machine.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tinytc {

/// Lets kernels that are bound by memory store results that they never read past the
/// caches, in launches with the `minStreamedBytes` of the machine and more. Such stores
/// need arrays that begin at a line of the cache: other launches store as before.
void addStreamingStores(gpu::GPUModuleOp kernels, const Machine &machine);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_STREAMINGSTORES_H
