//===- Stores.h - Regular stores and atomic accesses ------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_STORES_H
#define TINYTC_LIB_BUILDERS_STORES_H

#include "dialect/TinyTC.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// For whom an atomic access is one step, and which other accesses it orders.
struct AtomicOrder {
  MemoryScope scope;
  MemorySemantics semantics = MemorySemantics::Relaxed;
};

/// Local memory is shared by a work-group, global memory by all of them: the scope of
/// atomic accesses that do not state theirs.
MemoryScope getDefaultScope(MemRefType type);

/// Accesses an element atomically; returns the element before, null for a store.
/// `value` is null for a load.
Value createAtomic(ImplicitLocOpBuilder &builder, AtomicKind kind, AtomicOrder order,
                   Value value, Value memref, ValueRange indices);

/// Writes `value` to an element as `flag` says.
void createStore(ImplicitLocOpBuilder &builder, StoreFlag flag, Value value,
                 Value memref, ValueRange indices);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_STORES_H
