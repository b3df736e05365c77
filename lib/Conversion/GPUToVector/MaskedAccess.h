//===- MaskedAccess.h - Loads and stores under known masks ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_MASKEDACCESS_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_MASKEDACCESS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tinytc {

/// Loads and stores only the lanes that a constant mask selects, as a shorter vector.
void narrowMaskedAccess(gpu::GPUModuleOp kernels);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_MASKEDACCESS_H
