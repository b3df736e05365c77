//===- ExpandFunctions.h - Functions that not all targets have --*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_EXPANDFUNCTIONS_H
#define TINYTC_LIB_BUILDERS_EXPANDFUNCTIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// Writes the ops of arith and math in `kernels` that no instruction of the language
/// becomes by those that all targets have: divisions that round up or down, products of
/// twice the width, counts of bits, powers with integer exponents, inverse and
/// hyperbolic functions, erf, cbrt, classes of numbers. Those of numbers that have no
/// arithmetic are computed in f32, as are all that are written so for f16.
LogicalResult expandFunctions(Operation *kernels);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_EXPANDFUNCTIONS_H
