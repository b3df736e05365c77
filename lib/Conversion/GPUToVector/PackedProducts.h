//===- PackedProducts.h - Instructions for packed numbers -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_PACKEDPRODUCTS_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_PACKEDPRODUCTS_H

#include "lib/Target/Machine.h"

#include "mlir/IR/Operation.h"

namespace mlir::tinytc {

/// Replaces packed_mul_add by the machine's instructions, or by arithmetic where it has
/// none.
void expandPackedProducts(Operation *kernels, const Machine &machine);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_PACKEDPRODUCTS_H
