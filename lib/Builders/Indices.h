//===- Indices.h - Arithmetic on indices, folded ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_INDICES_H
#define TINYTC_LIB_BUILDERS_INDICES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::tinytc {

/// The index as a value, a constant if it is known.
Value toValue(ImplicitLocOpBuilder &builder, OpFoldResult index);

/// Indices of which constants are attributes.
SmallVector<OpFoldResult> foldConstants(ArrayRef<OpFoldResult> indices);

/// A constant index.
Value createIndex(ImplicitLocOpBuilder &builder, int64_t value);

/// A constant of type i32, which lanes are numbered in.
Value createI32(ImplicitLocOpBuilder &builder, int32_t value);

/// Whether `index` is below `upper`.
Value createIsBelow(ImplicitLocOpBuilder &builder, Value index, OpFoldResult upper);

/// Whether [lower, upper) is known to be empty.
bool isEmptyRange(OpFoldResult lower, OpFoldResult upper);

/// The largest multiple of `step` that does not exceed `extent`.
OpFoldResult roundDown(ImplicitLocOpBuilder &builder, OpFoldResult extent,
                       int64_t step);

/// `a * b` on indices, folded where both are constant or one is 1.
OpFoldResult createIndexMul(ImplicitLocOpBuilder &builder, OpFoldResult a,
                            OpFoldResult b);

/// The smaller of two indices, folded where both are constant.
Value createIndexMin(ImplicitLocOpBuilder &builder, Value a, Value b);

/// `a + b` on indices, folded where both are constant.
Value createIndexAdd(ImplicitLocOpBuilder &builder, OpFoldResult a, OpFoldResult b);

/// `count` indices, starting at `first`.
SmallVector<Value> createAdjacent(ImplicitLocOpBuilder &builder, Value first,
                                  int64_t count);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_INDICES_H
