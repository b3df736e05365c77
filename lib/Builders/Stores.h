//===- Stores.h - Regular and atomic stores ---------------------*- C++ -*-===//

#ifndef TINYTC_LIB_BUILDERS_STORES_H
#define TINYTC_LIB_BUILDERS_STORES_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// Attribute of a memref.store that is atomic: the arith::AtomicRMWKind.
inline constexpr StringLiteral kAtomicKindAttrName = "tinytc.atomic";

/// Writes `value` to an element as `flag` says.
void createStore(OpBuilder &builder, Location loc, StoreFlag flag, Value value,
                 Value memref, ValueRange indices);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_STORES_H
