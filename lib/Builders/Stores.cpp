//===- Stores.cpp - Regular and atomic stores -----------------------------===//

#include "lib/Builders/Stores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

void tinytc::createStore(OpBuilder &builder, Location loc, StoreFlag flag, Value value,
                         Value memref, ValueRange indices) {
  if (flag == StoreFlag::Regular) {
    memref::StoreOp::create(builder, loc, value, memref, indices);
    return;
  }
  Type type = value.getType();
  auto kind = arith::AtomicRMWKind::assign;
  if (flag == StoreFlag::AtomicAdd)
    kind = isa<FloatType, ComplexType>(type) ? arith::AtomicRMWKind::addf
                                             : arith::AtomicRMWKind::addi;
  if (!isa<ComplexType, IndexType>(type)) {
    memref::AtomicRMWOp::create(builder, loc, type, kind, value, memref, indices);
    return;
  }
  // memref.atomic_rmw takes neither complex values nor indices.
  auto store = memref::StoreOp::create(builder, loc, value, memref, indices);
  store->setAttr(kAtomicKindAttrName,
                 arith::AtomicRMWKindAttr::get(builder.getContext(), kind));
}
