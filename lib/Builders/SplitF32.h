//===- SplitF32.h - Numbers of f32 that two work-items share ----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A matrix unit takes rows of f32 in pieces of 16 bits: two neighbouring work-items
// bring the halves of a number, the lower one first.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_BUILDERS_SPLITF32_H
#define TINYTC_LIB_BUILDERS_SPLITF32_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The half of `number` (f32) that the work-item `lane` (index) brings, as i16.
Value createHalf(ImplicitLocOpBuilder &builder, Value number, Value lane);

/// The number of f32 whose halves (i16) the work-items `lane` and `lane` + 1 bring.
Value createFromHalves(ImplicitLocOpBuilder &builder, Value half, int32_t lane);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_SPLITF32_H
