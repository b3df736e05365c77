//===- Approximations.h - Native functions of f32 ---------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_APPROXIMATIONS_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_APPROXIMATIONS_H

#include "lib/Conversion/GPUToLLVM/Patterns.h"

namespace mlir::tinytc {

/// Functions for processors with fused multiply-adds, with errors as docs/native.md
/// says.
Approximations getVectorApproximations();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_APPROXIMATIONS_H
