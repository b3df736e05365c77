//===- Activity.cpp - What depends on differentiated parameters -----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/Activity.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

bool derivatives::isDifferentiable(Type type) {
  if (auto group = dyn_cast<GroupType>(type))
    type = group.getMemrefType();
  return isa<FloatType, ComplexType>(getScalarType(type));
}

Value derivatives::getStorage(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else if (auto member = dyn_cast<LoadOp>(op))
      memref = member.getSource();
    else
      break;
  }
  return memref;
}

SmallVector<MemrefUse> derivatives::getMemrefUses(Operation *op) {
  SmallVector<MemrefUse> uses;
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp || op->getNumRegions() != 0)
    return uses;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  Value overwritten;
  if (auto blas = dyn_cast<BlasOpInterface>(op))
    if (!blas.getAtomic() && isConstant(blas.getBeta(), 0))
      overwritten = blas.getDestination();
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    if (!value || !isa<MemrefType>(value.getType()))
      continue;
    bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
    bool isWritten = isa<MemoryEffects::Write>(effect.getEffect());
    if (!isRead && !isWritten)
      continue;
    auto *known = llvm::find_if(uses, [&](MemrefUse &u) { return u.memref == value; });
    if (known == uses.end())
      known = uses.insert(known, {value});
    // An operand may be a factor and the destination.
    auto isFactor = [&](Value v) { return llvm::count(op->getOperands(), v) > 1; };
    known->isRead |= isRead && (value != overwritten || isFactor(value));
    known->isWritten |= isWritten;
  }
  return uses;
}

Activity::Activity(FunctionOpInterface func, ArrayRef<unsigned> parameters) {
  for (unsigned parameter : parameters)
    add(func.getArgument(parameter));
  bool isComplete;
  do {
    isComplete = true;
    func->walk([&](Operation *op) {
      if (op != func && propagate(op))
        isComplete = false;
    });
  } while (!isComplete);
}

bool Activity::isActive(Value value) const {
  bool isMemory = isa<MemrefType, GroupType>(value.getType());
  return isDifferentiable(value.getType()) &&
         active.contains(isMemory ? getStorage(value) : value);
}

bool Activity::isActive(Operation *op) const {
  if (auto bits = dyn_cast<BitcastOp>(op))
    return isActive(bits.getA());
  auto isActiveScalar = [&](Value value) {
    return !isa<MemrefType>(value.getType()) && isActive(value);
  };
  if (llvm::any_of(op->getResults(), isActiveScalar))
    return true;
  for (const MemrefUse &use : getMemrefUses(op))
    if (use.isWritten && isActive(use.memref))
      return true;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      if (isActive(&nested))
        return true;
  return false;
}

bool Activity::add(Value value) {
  if (!isDifferentiable(value.getType()))
    return false;
  bool isMemory = isa<MemrefType, GroupType>(value.getType());
  return active.insert(isMemory ? getStorage(value) : value).second;
}

bool Activity::addAll(ValueRange from, ValueRange to) {
  bool isNew = false;
  for (auto [source, target] : llvm::zip_equal(from, to))
    if (isActive(source))
      isNew |= add(target);
  return isNew;
}

bool Activity::propagate(Operation *op) {
  if (auto loop = dyn_cast<ForOp>(op)) {
    bool isNew = addAll(loop.getInits(), loop.getRegionIterArgs());
    isNew |= addAll(loop.getInits(), loop.getResults());
    ValueRange yielded = loop.getBody().front().getTerminator()->getOperands();
    isNew |= addAll(yielded, loop.getRegionIterArgs());
    return addAll(yielded, loop.getResults()) || isNew;
  }
  if (auto branch = dyn_cast<IfOp>(op)) {
    bool isNew = false;
    if (branch.getNumResults() != 0)
      for (Region &region : branch->getRegions())
        isNew |=
            addAll(region.front().getTerminator()->getOperands(), branch.getResults());
    return isNew;
  }
  if (auto apply = dyn_cast<CooperativeMatrixApplyOp>(op)) {
    bool isNew =
        addAll(apply.getMatrices(), apply.getBody().getArguments().drop_front(2));
    Value yielded = apply.getBody().front().getTerminator()->getOperand(0);
    return addAll(ValueRange(yielded), ValueRange(apply.getResult())) || isNew;
  }
  if (op->getNumRegions() != 0 || isa<ViewLikeOpInterface, AllocaOp>(op))
    return false;
  if (isa<FloorOp, CeilOp>(op)) // constant almost everywhere
    return false;

  SmallVector<MemrefUse> uses = getMemrefUses(op);
  auto isRead = [&](Value operand) {
    if (!isa<MemrefType, GroupType>(operand.getType()))
      return true;
    return llvm::any_of(
        uses, [&](MemrefUse &use) { return use.memref == operand && use.isRead; });
  };
  bool dependsOnActive = llvm::any_of(op->getOperands(), [&](Value operand) {
    return isActive(operand) && isRead(operand);
  });
  if (!dependsOnActive)
    return false;
  bool isNew = false;
  for (Value result : op->getResults())
    if (!isa<MemrefType>(result.getType()))
      isNew |= add(result);
  for (const MemrefUse &use : uses)
    if (use.isWritten)
      isNew |= add(use.memref);
  return isNew;
}
