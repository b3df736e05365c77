//===- AtomicOps.cpp - Verifiers of the atomic instructions ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "lib/IR/Verify.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The semantics that SPIR-V has for an access of this kind: a load releases nothing, a
/// store acquires nothing.
static ArrayRef<MemorySemantics> getAllowedSemantics(AtomicKind kind) {
  using Order = MemorySemantics;
  static constexpr Order kOfLoads[] = {Order::Relaxed, Order::Acquire,
                                       Order::SequentiallyConsistent};
  static constexpr Order kOfStores[] = {Order::Relaxed, Order::Release,
                                        Order::SequentiallyConsistent};
  static constexpr Order kOfUpdates[] = {Order::Relaxed, Order::Acquire, Order::Release,
                                         Order::AcquireRelease,
                                         Order::SequentiallyConsistent};
  switch (kind) {
  case AtomicKind::Load:
    return kOfLoads;
  case AtomicKind::Store:
    return kOfStores;
  default:
    return kOfUpdates;
  }
}

static LogicalResult verifySemantics(Operation *op, AtomicKind kind,
                                     MemorySemantics semantics) {
  ArrayRef<MemorySemantics> allowed = getAllowedSemantics(kind);
  if (llvm::is_contained(allowed, semantics))
    return success();
  auto words = llvm::map_range(
      allowed, [](MemorySemantics each) { return stringifyMemorySemantics(each); });
  return op->emitOpError("expected the semantics of an atomic ")
         << stringifyAtomicKind(kind) << " to be one of " << llvm::join(words, ", ")
         << ", got " << stringifyMemorySemantics(semantics);
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

static LogicalResult verifyIndices(Operation *op, ValueRange indices, MemrefType type) {
  if (failed(verifyIndexCount(op, indices, type.getOrder())))
    return failure();
  return verifyConstantIndices(op, indices, type);
}

static LogicalResult verifyValue(Operation *op, Type value, MemrefType dest) {
  if (value == dest.getElementType())
    return success();
  return op->emitOpError("expected 'value' to have the element type ")
         << dest.getElementType() << " of 'dest', got " << value;
}

LogicalResult AtomicLoadOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  FailureOr<Type> source =
      getFirstType<MemrefType>(location, adaptor.getOperands(), "a memref");
  if (failed(source))
    return failure();
  types.push_back(getLoadedType(*source));
  return success();
}

LogicalResult AtomicLoadOp::verify() {
  MemrefType source = getSource().getType();
  // atomic_load_c1, atomic_load_c3
  if (failed(verifyIndices(*this, getIndices(), source)))
    return failure();
  // atomic_load_c2
  if (failed(verifyResultElement(*this, getLoadedType(source), getType())))
    return failure();
  // atomic_load_c4
  return verifySemantics(*this, getAtomicKind(), getSemantics());
}

LogicalResult AtomicStoreOp::verify() {
  MemrefType dest = getDest().getType();
  // atomic_store_c1
  if (failed(verifyValue(*this, getValue().getType(), dest)))
    return failure();
  // atomic_store_c2, atomic_store_c3
  if (failed(verifyIndices(*this, getIndices(), dest)))
    return failure();
  // atomic_store_c4
  return verifySemantics(*this, getAtomicKind(), getSemantics());
}

template <typename Op>
static LogicalResult verifyUpdate(Op op) {
  MemrefType dest = op.getDest().getType();
  // atomic_update_c1
  if (failed(verifyValue(op, op.getValue().getType(), dest)))
    return failure();
  // atomic_update_c2, atomic_update_c3
  return verifyIndices(op, op.getIndices(), dest);
}

LogicalResult AtomicAddOp::verify() { return verifyUpdate(*this); }
LogicalResult AtomicMinOp::verify() { return verifyUpdate(*this); }
LogicalResult AtomicMaxOp::verify() { return verifyUpdate(*this); }

//===----------------------------------------------------------------------===//
// Cooperative matrices
//===----------------------------------------------------------------------===//

LogicalResult CooperativeMatrixAtomicLoadOp::verify() {
  MemrefType source = getSource().getType();
  // cooperative_matrix_atomic_load_c1
  if (failed(verifyOrder(*this, NamedMemref{"source", source}, 2)))
    return failure();
  // cooperative_matrix_atomic_load_c2
  if (failed(verifyComponentType(*this, {"source", source}, getType())))
    return failure();
  // cooperative_matrix_atomic_load_c3
  return verifySemantics(*this, getAtomicKind(), getSemantics());
}

LogicalResult CooperativeMatrixAtomicStoreOp::verify() {
  MemrefType dest = getDest().getType();
  // cooperative_matrix_atomic_store_c1
  if (failed(verifyOrder(*this, NamedMemref{"dest", dest}, 2)))
    return failure();
  // cooperative_matrix_atomic_store_c2
  if (failed(verifyComponentType(*this, {"dest", dest}, getMatrix().getType())))
    return failure();
  // cooperative_matrix_atomic_store_c3
  return verifySemantics(*this, getAtomicKind(), getSemantics());
}

template <typename Op>
static LogicalResult verifyMatrixUpdate(Op op) {
  MemrefType dest = op.getDest().getType();
  // cooperative_matrix_atomic_update_c1
  if (failed(verifyOrder(op, NamedMemref{"dest", dest}, 2)))
    return failure();
  // cooperative_matrix_atomic_update_c2
  return verifyComponentType(op, {"dest", dest}, op.getMatrix().getType());
}

LogicalResult CooperativeMatrixAtomicAddOp::verify() {
  return verifyMatrixUpdate(*this);
}
LogicalResult CooperativeMatrixAtomicMinOp::verify() {
  return verifyMatrixUpdate(*this);
}
LogicalResult CooperativeMatrixAtomicMaxOp::verify() {
  return verifyMatrixUpdate(*this);
}

//===----------------------------------------------------------------------===//
// AtomicOp
//===----------------------------------------------------------------------===//

LogicalResult AtomicOp::verify() {
  AtomicKind kind = getKind();
  auto memref = getMemref().getType();
  auto describe = [](Value value) { return value ? "one" : "none"; };
  if ((kind == AtomicKind::Load) == bool(getValue()))
    return emitOpError("expected ")
           << (getValue() ? "no value" : "a value") << " for an atomic "
           << stringifyAtomicKind(kind) << ", got " << describe(getValue());
  if ((kind == AtomicKind::Store) == bool(getResult()))
    return emitOpError("expected ")
           << (getResult() ? "no result" : "a result") << " of an atomic "
           << stringifyAtomicKind(kind) << ", got " << describe(getResult());
  if (failed(verifyIndexCount(*this, getIndices(), memref.getRank())))
    return failure();
  Type element = memref.getElementType();
  for (Value each : {getValue(), getResult()}) {
    if (!each || each.getType() == element)
      continue;
    // The gpu stage has the bits in memory.
    if (!isStoredAsBits(each.getType()) || element != getStorageType(each.getType()))
      return emitOpError("expected value and result to have the element type ")
             << element << " of 'memref', got " << each.getType();
  }
  Type type = getValue() ? getValue().getType() : element;
  bool isOrdered = kind == AtomicKind::Min || kind == AtomicKind::Max;
  if (isOrdered && isa<ComplexType>(type))
    return emitOpError("expected a real type for an atomic ")
           << stringifyAtomicKind(kind) << ", got " << type;
  return verifySemantics(*this, kind, getSemantics());
}
