//===- MemoryAccess.cpp - What instructions read and write ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/LocalMemory.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::getRoot(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool tinytc::isOptionalParameter(Value parameter) {
  return llvm::any_of(parameter.getUsers(), [](Operation *user) {
    return isa<AssociatedOp>(user) ||
           (isa<ViewLikeOpInterface>(user) && isOptionalParameter(user->getResult(0)));
  });
}

static bool isLocal(Value root) {
  auto type = dyn_cast<MemrefType>(root.getType());
  return type && type.isLocal();
}

/// Adds `factor` times `step` to `sum`; fails if one is unknown or the sum overflows.
static bool addProduct(int64_t &sum, std::optional<int64_t> factor, int64_t step) {
  if (factor == 0)
    return true;
  int64_t product;
  return factor && !ShapedType::isDynamic(*factor) && !ShapedType::isDynamic(step) &&
         !llvm::MulOverflow(*factor, step, product) &&
         !llvm::AddOverflow(sum, product, sum);
}

/// The position of the element of `memref` at `offsets`, if the memref begins at
/// `begin`.
static std::optional<int64_t> getPosition(std::optional<int64_t> begin, Value memref,
                                          ArrayRef<OpFoldResult> offsets) {
  ArrayRef<int64_t> strides = cast<MemrefType>(memref.getType()).getStride();
  for (auto [offset, stride] : llvm::zip_equal(offsets, strides))
    if (!begin || !addProduct(*begin, getConstantIntValue(offset), stride))
      return std::nullopt;
  return begin;
}

/// Where `memref` begins within its root, counted in elements of `memref`, if known.
static std::optional<int64_t> getBegin(Value memref) {
  auto view = memref.getDefiningOp<ViewLikeOpInterface>();
  if (!view) {
    // A load from a group yields a different memref in each iteration of a loop.
    bool isMember = memref.getDefiningOp<LoadOp>() != nullptr;
    return isMember ? std::nullopt : std::optional<int64_t>(0);
  }
  std::optional<int64_t> begin = getBegin(view.getViewSource());
  if (isa<ExpandC2ROp>(*view)) {
    int64_t parts = 0;
    return addProduct(parts, begin, 2) ? std::optional(parts) : std::nullopt;
  }
  auto subview = dyn_cast<SubviewOp>(*view);
  if (!subview)
    return begin;
  return getPosition(begin, subview.getSource(),
                     getMixedValues(subview.getStaticOffsets(), subview.getOffsets(),
                                    subview.getContext()));
}

/// The elements of its root that an access of `op` to `memref` may touch.
static ElementRange getElements(Operation &op, Value memref) {
  std::optional<int64_t> begin = getBegin(memref), last;
  auto setElement = [&](ValueRange indices) {
    begin = last = getPosition(begin, memref, getAsOpFoldResult(indices));
  };
  if (auto load = dyn_cast<LoadOp>(op)) {
    setElement(load.getIndices());
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    setElement(store.getIndices());
  } else if (auto atomic = dyn_cast<AtomicOpInterface>(op);
             atomic && !atomic.getAccessedMatrix()) {
    setElement(atomic.getAccessedIndices());
  } else {
    auto type = cast<MemrefType>(memref.getType());
    last = begin;
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), type.getStride()))
      if (!last || size < 1 || !addProduct(*last, size - 1, stride))
        return {};
  }
  if (!begin || !last || *last == std::numeric_limits<int64_t>::max())
    return {};
  int64_t end = *last + 1, parts = 1, first = 0, afterLast = 0;
  if (isa<ComplexType>(cast<MemrefType>(memref.getType()).getElementType()))
    parts = 2;
  if (!addProduct(first, begin, parts) || !addProduct(afterLast, end, parts))
    return {};
  return {first, afterLast};
}

/// Widens the range of a root to one more; returns whether it was narrower.
static bool insert(AccessSet::Accesses &accesses, Value root, ElementRange range) {
  auto [entry, isNew] = accesses.insert({root, range});
  if (isNew)
    return true;
  ElementRange &known = entry->second;
  if (known.begin <= range.begin && range.end <= known.end)
    return false;
  known = {std::min(known.begin, range.begin), std::max(known.end, range.end)};
  return true;
}

bool tinytc::mayAlias(Value rootA, Value rootB) {
  if (rootA == rootB)
    return true;
  // Nothing writes to a constant.
  if (rootA.getDefiningOp<ConstantOp>() || rootB.getDefiningOp<ConstantOp>())
    return false;
  if (isLocal(rootA) != isLocal(rootB))
    return false;
  // Two allocas are separate memory; local memory comes from nowhere else.
  auto allocaA = rootA.getDefiningOp<AllocaOp>();
  auto allocaB = rootB.getDefiningOp<AllocaOp>();
  if (!allocaA || !allocaB)
    return !allocaA && !allocaB;
  // ... unless they share memory one after the other.
  std::optional<LocalRange> rangeA = getLocalRange(allocaA);
  std::optional<LocalRange> rangeB = getLocalRange(allocaB);
  return rangeA && rangeB && rangeA->overlaps(*rangeB);
}

AccessSet AccessSet::of(Operation &op) {
  AccessSet accesses;
  op.walk([&](Operation *nested) { accesses.add(*nested); });
  return accesses;
}

/// The access of an instruction to elements that it reads or writes, if that is of one
/// kind.
static std::optional<Access> getAtomicAccess(Operation &op) {
  auto atomic = dyn_cast<AtomicOpInterface>(op);
  // Work-items of other subgroups see no order of such accesses.
  if (!atomic || atomic.getScope() == MemoryScope::Subgroup)
    return std::nullopt;
  switch (atomic.getAtomicKind()) {
  case AtomicKind::Load:
    return Access::AtomicLoad;
  case AtomicKind::Add:
    return Access::AtomicAdd;
  case AtomicKind::Min:
    return Access::AtomicMin;
  case AtomicKind::Max:
    return Access::AtomicMax;
  case AtomicKind::Store: // the last one decides
    return std::nullopt;
  }
  llvm_unreachable("unknown kind");
}

static bool isReading(Access access) { return access != Access::Write; }

static bool isWriting(Access access) {
  return access != Access::Read && access != Access::AtomicLoad;
}

/// Whether the order of two accesses of different work-items matters.
static bool isOrdered(Access first, Access second) {
  if (first == second && first != Access::Write)
    return false;
  return isWriting(first) || isWriting(second);
}

void AccessSet::add(Operation &op) {
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  std::optional<Access> atomic = getAtomicAccess(op);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    if (!value || !isa<MemrefType>(value.getType()))
      continue;
    Access access;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      access = atomic.value_or(Access::Read);
    else if (isa<MemoryEffects::Write>(effect.getEffect()))
      access = atomic.value_or(Access::Write);
    else
      continue;
    insert(accesses[size_t(access)], getRoot(value), getElements(op, value));
  }
}

bool AccessSet::any(function_ref<bool(Access)> isKind,
                    function_ref<bool(Value)> isRoot) const {
  for (auto [kind, roots] : llvm::enumerate(accesses))
    if (isKind(Access(kind)) &&
        llvm::any_of(roots, [&](const auto &access) { return isRoot(access.first); }))
      return true;
  return false;
}

bool AccessSet::reads(function_ref<bool(Value)> predicate) const {
  return any(isReading, predicate);
}

bool AccessSet::writes(function_ref<bool(Value)> predicate) const {
  return any(isWriting, predicate);
}

Fences AccessSet::getConflicts(const AccessSet &later) const {
  Fences fences;
  auto check = [&](const Accesses &first, const Accesses &second) {
    for (auto [a, elementsOfA] : first)
      for (auto [b, elementsOfB] : second)
        if (a == b ? elementsOfA.overlaps(elementsOfB) : mayAlias(a, b))
          (isLocal(a) ? fences.local : fences.global) = true;
  };
  for (auto [kind, roots] : llvm::enumerate(accesses))
    for (auto [laterKind, laterRoots] : llvm::enumerate(later.accesses))
      if (isOrdered(Access(kind), Access(laterKind)))
        check(roots, laterRoots);
  return fences;
}

bool AccessSet::merge(const AccessSet &other) {
  bool isNew = false;
  for (auto [mine, roots] : llvm::zip(accesses, other.accesses))
    for (auto [root, range] : roots)
      isNew |= insert(mine, root, range);
  return isNew;
}

void AccessSet::clear(bool global, bool local) {
  for (Accesses &roots : accesses)
    roots.remove_if([&](const std::pair<Value, ElementRange> &access) {
      return isLocal(access.first) ? local : global;
    });
}
