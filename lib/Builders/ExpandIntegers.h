//===- ExpandIntegers.h - Integers as all targets compute -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_EXPANDINTEGERS_H
#define TINYTC_LIB_BUILDERS_EXPANDINTEGERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The values of an op of arith or math, in ops that all targets have; none if it is
/// one of these, or a division that rounds up or down.
SmallVector<Value> expandInteger(ImplicitLocOpBuilder &builder, Operation *op);

/// Writes divisions that round up or down by those that round towards zero.
LogicalResult expandDivisions(Operation *kernel);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_EXPANDINTEGERS_H
