//===- Stores.cpp - Regular stores and atomic accesses --------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/Stores.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

MemoryScope tinytc::getDefaultScope(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  bool isLocal = space && space.getValue() == gpu::AddressSpace::Workgroup;
  return isLocal ? MemoryScope::WorkGroup : MemoryScope::Device;
}

Value tinytc::createAtomic(ImplicitLocOpBuilder &builder, AtomicKind kind,
                           AtomicOrder order, Value value, Value memref,
                           ValueRange indices) {
  Type result;
  if (kind == AtomicKind::Load)
    result = cast<MemRefType>(memref.getType()).getElementType();
  else if (kind != AtomicKind::Store)
    result = value.getType();
  return AtomicOp::create(builder, result, kind, order.scope, order.semantics, value,
                          memref, indices)
      .getResult();
}

void tinytc::createStore(ImplicitLocOpBuilder &builder, StoreFlag flag, Value value,
                         Value memref, ValueRange indices) {
  if (flag == StoreFlag::Regular) {
    memref::StoreOp::create(builder, value, memref, indices);
    return;
  }
  AtomicKind kind = flag == StoreFlag::Atomic ? AtomicKind::Store : AtomicKind::Add;
  AtomicOrder order{getDefaultScope(cast<MemRefType>(memref.getType()))};
  createAtomic(builder, kind, order, value, memref, indices);
}
