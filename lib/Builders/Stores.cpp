//===- Stores.cpp - Regular and atomic stores -----------------------------===//

#include "lib/Builders/Stores.h"
#include "dialect/DiscardableAttrs.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

arith::AtomicRMWKind tinytc::getAtomicKind(StoreFlag flag, Type type) {
  if (flag != StoreFlag::AtomicAdd)
    return arith::AtomicRMWKind::assign;
  return isa<FloatType, ComplexType>(type) ? arith::AtomicRMWKind::addf
                                           : arith::AtomicRMWKind::addi;
}

void tinytc::createStore(ImplicitLocOpBuilder &builder, StoreFlag flag, Value value,
                         Value memref, ValueRange indices) {
  if (flag == StoreFlag::Regular) {
    memref::StoreOp::create(builder, value, memref, indices);
    return;
  }
  Type type = value.getType();
  if (!isa<ComplexType, IndexType>(type)) {
    memref::AtomicRMWOp::create(builder, type, getAtomicKind(flag, type), value, memref,
                                indices);
    return;
  }
  // memref.atomic_rmw takes neither complex values nor indices.
  auto store = memref::StoreOp::create(builder, value, memref, indices);
  setDiscardable<TinyTCDialect::StoreFlagAttrHelper>(
      store, StoreFlagAttr::get(builder.getContext(), flag));
}
