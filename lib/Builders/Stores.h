//===- Stores.h - Regular and atomic stores ---------------------*- C++ -*-===//

#ifndef TINYTC_LIB_BUILDERS_STORES_H
#define TINYTC_LIB_BUILDERS_STORES_H

#include "dialect/TinyTC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// What an atomic store of `type` does, as `flag` says.
arith::AtomicRMWKind getAtomicKind(StoreFlag flag, Type type);

/// Writes `value` to an element as `flag` says.
void createStore(ImplicitLocOpBuilder &builder, StoreFlag flag, Value value,
                 Value memref, ValueRange indices);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_STORES_H
