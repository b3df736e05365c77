//===- Indices.h - Arithmetic on indices, folded ----------------*- C++ -*-===//

#ifndef TINYTC_LIB_BUILDERS_INDICES_H
#define TINYTC_LIB_BUILDERS_INDICES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::tinytc {

/// The index as a value, a constant if it is known.
Value toValue(OpBuilder &builder, Location loc, OpFoldResult index);

/// A constant index.
Value createIndex(OpBuilder &builder, Location loc, int64_t value);

/// Whether `index` is below `upper`.
Value createIsBelow(OpBuilder &builder, Location loc, Value index, OpFoldResult upper);

/// Whether [lower, upper) is known to be empty.
bool isEmptyRange(OpFoldResult lower, OpFoldResult upper);

/// The largest multiple of `step` that does not exceed `extent`.
OpFoldResult roundDown(OpBuilder &builder, Location loc, OpFoldResult extent,
                       int64_t step);

/// `a * b` on indices, folded where `a` is constant.
OpFoldResult createIndexMul(OpBuilder &builder, Location loc, OpFoldResult a,
                            int64_t b);

/// The smaller of two indices, folded where both are constant.
Value createIndexMin(OpBuilder &builder, Location loc, Value a, Value b);

/// `a + b` on indices, folded where both are constant.
Value createIndexAdd(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b);

/// `count` indices, starting at `first`.
SmallVector<Value> createAdjacent(OpBuilder &builder, Location loc, Value first,
                                  int64_t count);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_INDICES_H
