//===- MemoryAccess.cpp - What instructions read and write ----------------===//

#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/LocalMemory.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::getRoot(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

static bool isLocal(Value root) {
  auto type = dyn_cast<MemrefType>(root.getType());
  return type && type.isLocal();
}

bool tinytc::mayAlias(Value rootA, Value rootB) {
  if (rootA == rootB)
    return true;
  if (isLocal(rootA) != isLocal(rootB))
    return false;
  // Two allocas are two pieces of memory; local memory comes from nowhere else, unless
  // a caller passes it as a parameter.
  auto allocaA = rootA.getDefiningOp<AllocaOp>();
  auto allocaB = rootB.getDefiningOp<AllocaOp>();
  if (!allocaA || !allocaB)
    return !allocaA && !allocaB;
  // ... unless they lie in the same place one after the other.
  std::optional<LocalRange> rangeA = getLocalRange(allocaA);
  std::optional<LocalRange> rangeB = getLocalRange(allocaB);
  return rangeA && rangeB && rangeA->overlaps(*rangeB);
}

AccessSet AccessSet::of(Operation &op) {
  AccessSet accesses;
  op.walk([&](Operation *nested) { accesses.add(*nested); });
  return accesses;
}

void AccessSet::add(Operation &op) {
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    if (!value || !isa<MemrefType>(value.getType()))
      continue;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      reads.insert(getRoot(value));
    else if (isa<MemoryEffects::Write>(effect.getEffect()))
      writes.insert(getRoot(value));
  }
}

Fences AccessSet::getConflicts(const AccessSet &later) const {
  Fences fences;
  auto check = [&](const llvm::SetVector<Value> &first,
                   const llvm::SetVector<Value> &second) {
    for (Value a : first)
      for (Value b : second)
        if (mayAlias(a, b))
          (isLocal(a) ? fences.local : fences.global) = true;
  };
  check(writes, later.reads);
  check(writes, later.writes);
  check(reads, later.writes);
  return fences;
}

void AccessSet::merge(const AccessSet &other) {
  reads.insert_range(other.reads);
  writes.insert_range(other.writes);
}

void AccessSet::clear(bool global, bool local) {
  auto isFenced = [&](Value root) { return isLocal(root) ? local : global; };
  reads.remove_if(isFenced);
  writes.remove_if(isFenced);
}
