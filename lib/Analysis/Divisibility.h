//===- Divisibility.h - What divides an index -------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Parameters promise divisors of their dynamic sizes (`shape_gcd`). A loop over a size
// that is a multiple of its tile leaves no remainder.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_DIVISIBILITY_H
#define TINYTC_LIB_ANALYSIS_DIVISIBILITY_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::tinytc {

/// The largest number known to divide an index at the linalg stage: 1 if nothing is
/// known, 0 if the index is 0.
int64_t getDivisor(OpFoldResult index);

/// Whether an index that is not negative is 0 or at least `least`.
bool isZeroOrAtLeast(OpFoldResult index, int64_t least);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_DIVISIBILITY_H
