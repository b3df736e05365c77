//===- Elements.cpp - Accesses to single elements -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;

Values Lowering::getIndices(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return getNumber(value).re; });
}

/// An element as a memref without modes.
Memref Lowering::selectElement(const Memref &memref, ValueRange indices) {
  if (!memref.alloca)
    return {memref.type, getPointer(memref, indices), {}, {}, 1};
  Window window{{}, memref.window.first};
  for (auto [mode, index] : llvm::zip(memref.window.modes, indices))
    window.first[mode] = add(window.first[mode], index);
  return {memref.type, {}, {}, {}, 1, memref.alloca, {}, window};
}

LogicalResult Lowering::lowerLoad(LoadOp op) {
  if (isa<GroupType>(op.getSource().getType())) {
    loadMember(op);
    return success();
  }
  Memref element = selectElement(memrefs[op.getSource()], getIndices(op.getIndices()));
  numbers[op.getResult()] = load(element, Part());
  return success();
}

/// Why the elements of a type have no atomic sums, empty if they have.
static StringRef getReasonAgainstSums(Type type) {
  if (type.isInteger(8) || type.isInteger(16))
    return "its atomic operations are those of i32, i64 and floating types";
  return "";
}

LogicalResult Lowering::lowerStore(StoreOp op) {
  Memref element = selectElement(memrefs[op.getDest()], getIndices(op.getIndices()));
  Number value = getNumber(op.getValue());
  bool isSum = op.getFlag() == StoreFlag::AtomicAdd;
  // A tile block shares local memory with no other.
  if (element.alloca) {
    store(element, Part(), isSum ? add(load(element, Part()), value) : value);
    return success();
  }
  StringRef reason = getReasonAgainstSums(element.type.getElementType());
  if (isSum && !reason.empty())
    return refuse(op, reason);
  if (isSum)
    addAtomic(element, Part(), value);
  else if (op.getFlag() == StoreFlag::Atomic)
    storeAtomic(element, Part(), value);
  else
    store(element, Part(), value);
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic instructions
//===----------------------------------------------------------------------===//

/// Everything that this pass writes is ordered by tokens, relaxed accesses too; what
/// other tile blocks see of it is what the semantics of the instruction ask for.
static tile::MemoryOrdering getOrdering(MemorySemantics semantics) {
  switch (semantics) {
  case MemorySemantics::Relaxed:
    return tile::MemoryOrdering::Relaxed;
  case MemorySemantics::Acquire:
    return tile::MemoryOrdering::Acquire;
  case MemorySemantics::Release:
    return tile::MemoryOrdering::Release;
  default:
    return tile::MemoryOrdering::AcquireRelease;
  }
}

/// The mode of an atomic update, none for a plain access or where there is none.
static std::optional<tile::AtomicMode> getMode(AtomicKind kind, bool isFloating) {
  switch (kind) {
  case AtomicKind::Add:
    return isFloating ? tile::AtomicMode::AddF : tile::AtomicMode::Add;
  case AtomicKind::Min:
    return isFloating ? std::nullopt : std::optional(tile::AtomicMode::Min);
  case AtomicKind::Max:
    return isFloating ? std::nullopt : std::optional(tile::AtomicMode::Max);
  default:
    return std::nullopt;
  }
}

/// One tile block after the other owns local memory, so that every access is one step.
void Lowering::updateLocal(AtomicOpInterface op, const Memref &element) {
  Number old = load(element, Part());
  AtomicKind kind = op.getAtomicKind();
  if (kind != AtomicKind::Load) {
    Number value = getNumber(op->getOperand(0));
    if (kind == AtomicKind::Add)
      value = add(old, value);
    else if (kind == AtomicKind::Min)
      value = {minReal(old.re, value.re), {}};
    else if (kind == AtomicKind::Max)
      value = {maxReal(old.re, value.re), {}};
    store(element, Part(), value);
  }
  if (op->getNumResults() == 1)
    numbers[op->getResult(0)] = old;
}

/// One access to a number or to a part of it. Returns what was there, null after a
/// store.
Value Lowering::access(AtomicOpInterface op, Value pointer, Value value) {
  auto scope = op.getScope() == MemoryScope::CrossDevice ? tile::MemoryScope::System
                                                         : tile::MemoryScope::Device;
  auto scopeAttr = tile::MemoryScopeAttr::get(builder.getContext(), scope);
  tile::MemoryOrdering ordering = getOrdering(op.getSemantics());
  Type tokenType = tile::TokenType::get(builder.getContext());
  Type element = cast<tile::PointerType>(getElement(pointer)).getPointeeType();
  AtomicKind kind = op.getAtomicKind();
  if (kind == AtomicKind::Load) {
    auto load = tile::LoadPtrTkoOp::create(builder, getTile(element), tokenType,
                                           ordering, scopeAttr, pointer, Value(),
                                           Value(), getOrder(), DictionaryAttr());
    setToken(load.getResultToken());
    return load.getResult();
  }
  if (kind == AtomicKind::Store) {
    auto store =
        tile::StorePtrTkoOp::create(builder, tokenType, ordering, scopeAttr, pointer,
                                    value, Value(), getOrder(), DictionaryAttr());
    setToken(store.getResultToken());
    return {};
  }
  auto update = tile::AtomicRMWTkoOp::create(
      builder, value.getType(), tokenType, ordering, scope, pointer,
      *getMode(kind, isa<FloatType>(element)), value, Value(), getOrder());
  setToken(update.getResultToken());
  return update.getResult();
}

LogicalResult Lowering::lowerAtomic(AtomicOpInterface op) {
  if (op.getAccessedMatrix())
    return refuse(op, "a cooperative matrix is distributed over a subgroup");
  Memref element = selectElement(memrefs[op.getAccessedMemref()],
                                 getIndices(op.getAccessedIndices()));
  if (element.alloca) {
    updateLocal(op, element);
    return success();
  }
  if (op.getSemantics() == MemorySemantics::SequentiallyConsistent)
    return refuse(op, "its accesses are at most acquire and release");
  Type type = element.type.getElementType();
  AtomicKind kind = op.getAtomicKind();
  bool isUpdate = kind != AtomicKind::Load && kind != AtomicKind::Store;
  StringRef reason = getReasonAgainstSums(type);
  if (isUpdate && !reason.empty())
    return refuse(op, reason);
  if (isUpdate && !getMode(kind, !isa<IntegerType, IndexType>(type)))
    return refuse(op, "its atomic minimum and maximum are those of integers");
  Number value = kind == AtomicKind::Load ? Number() : getNumber(op->getOperand(0));
  Number old{access(op, element.base, value.re), {}};
  // The parts of a complex number are accessed one by one.
  if (isa<ComplexType>(type))
    old.im = access(op,
                    tile::OffsetOp::create(builder, element.base.getType(),
                                           element.base, createIndex(1)),
                    value.im);
  if (op->getNumResults() == 1)
    numbers[op->getResult(0)] = old;
  return success();
}

LogicalResult Lowering::lowerElement(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return lowerStore(store);
  return lowerAtomic(cast<AtomicOpInterface>(op));
}
