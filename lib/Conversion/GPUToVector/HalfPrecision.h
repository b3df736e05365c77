//===- HalfPrecision.h - Arithmetic on bf16 and f16 -------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_HALFPRECISION_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_HALFPRECISION_H

#include "lib/Target/Target.h"

#include "mlir/IR/Operation.h"

namespace mlir::tinytc {

/// Lets arithmetic on bf16 be that of f32, and rounds by operations on integers: the
/// instruction of processors turns subnormal numbers into 0, and LLVM calls functions
/// where there is none. The same for f16 where processors do not compute with it; those
/// that convert it do. What LLVM gets of these types is their bits.
LogicalResult expandHalfPrecision(Operation *module, const Target &target);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_HALFPRECISION_H
