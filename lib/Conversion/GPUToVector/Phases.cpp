//===- Phases.cpp - The phases of a kernel between barriers ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/Phases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most ops that are cheaper than an access to memory.
static constexpr int64_t kMostRecomputed = 8;

/// A kernel is divided at its barriers only if they are in conditions and loops that
/// all work-items run alike.
Phases::Phases(gpu::GPUFuncOp kernel, KernelWorkGroup group)
    : ofGroup(kernel, group, AtomicLoads::Apart),
      ofSubgroup(kernel, {group.subgroupSize, 1, group.subgroupSize}) {
  kernel.walk([&](gpu::BarrierOp barrier) {
    for (Operation *op = barrier->getParentOp(); op != kernel; op = op->getParentOp())
      splitOps.insert(op);
  });
  if (!llvm::all_of(splitOps, [&](Operation *op) { return isUniformOp(op); }))
    return;
  divide(kernel.getBody().front());
  for (const Variable &variable : variables)
    if (!isOutside(variable.values.front()))
      for (OpOperand *source : variable.sources)
        storingPhase[source] = chooseStoringPhase(*source, variable);
  isKnown = canAllBeKept();
}

bool Phases::isUniform(Value value) const {
  return ofGroup.get(value).isUniform() && ofSubgroup.get(value).isUniform();
}

bool Phases::isUniformOp(Operation *op) const {
  auto areUniform = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isUniform(value); });
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::IfOp branch) { return isUniform(branch.getCondition()); })
      .Case([&](scf::ForOp loop) {
        return areUniform({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      })
      .Default(false);
}

bool Phases::isOutside(Value value) const {
  Operation *op = value.getDefiningOp();
  if (op && !splitOps.contains(op))
    return outside.contains(op);
  Operation *parent = op ? op : value.getParentBlock()->getParentOp();
  return isa<gpu::GPUFuncOp>(parent) || (splitOps.contains(parent) && isUniform(value));
}

/// Whether an op loads a pointer, from a table that no kernel writes.
static bool isPointerLoad(Operation *op) {
  return isa<memref::LoadOp>(op) && isa<MemRefType>(op->getResult(0).getType());
}

bool Phases::canBeOutside(Operation *op) const {
  if (isa<memref::AllocOp>(op))
    return true;
  bool hasNoEffect = isMemoryEffectFree(op) || isPointerLoad(op);
  return op->getNumRegions() == 0 && hasNoEffect &&
         llvm::all_of(op->getResults(), [&](Value v) { return isUniform(v); }) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isOutside(v); });
}

void Phases::divide(Block &block) {
  Phase phase;
  for (Operation &op : block) {
    bool isSplit = splitOps.contains(&op);
    if (isSplit || isa<gpu::BarrierOp>(op) || op.hasTrait<OpTrait::IsTerminator>()) {
      phase.end = &op;
      before[&op] = phases.size();
      phases.push_back(std::move(phase));
      phase = {};
    } else if (canBeOutside(&op)) {
      outside.insert(&op);
    } else {
      phaseOf[&op] = phases.size();
      phase.ops.push_back(&op);
    }
    if (!isSplit)
      continue;
    addVariables(&op);
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        divide(nested);
  }
}

void Phases::addVariables(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    OpOperand *init = loop.getInitsMutable().begin();
    for (auto [argument, result, yield] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults(),
                   loop.getBody()->getTerminator()->getOpOperands()))
      variables.push_back({{init++, &yield}, {argument, result}});
    return;
  }
  auto branch = cast<scf::IfOp>(op);
  for (auto [i, result] : llvm::enumerate(branch.getResults()))
    variables.push_back(
        {{&branch.thenYield()->getOpOperand(i), &branch.elseYield()->getOpOperand(i)},
         {result}});
}

std::optional<size_t> Phases::getPhaseOf(Operation *op) const {
  for (; op && !before.contains(op); op = op->getParentOp())
    if (auto known = phaseOf.find(op); known != phaseOf.end())
      return known->second;
  return std::nullopt;
}

/// The phase that computes the source, if no later one needs the variable as it was;
/// else the last one before it is passed on.
size_t Phases::chooseStoringPhase(OpOperand &source, const Variable &variable) const {
  Operation *end = source.getOwner(), *op = source.get().getDefiningOp();
  size_t last = before.at(end);
  auto own = phaseOf.find(op);
  if (!op || own == phaseOf.end() || op->getBlock() != end->getBlock())
    return last;
  auto isLater = [&](Operation *user) {
    auto known = before.find(user);
    std::optional<size_t> phase =
        known != before.end() ? known->second : getPhaseOf(user);
    return end->getParentOp()->isAncestor(user) && (!phase || *phase > own->second);
  };
  bool isNeeded = end->hasTrait<OpTrait::IsTerminator>() &&
                  llvm::any_of(variable.values, [&](Value value) {
                    return llvm::any_of(value.getUsers(), isLater);
                  });
  return isNeeded ? last : own->second;
}

SmallVector<CrossingUse> Phases::getCrossingUses(Value value) const {
  std::optional<size_t> own;
  if (Operation *op = value.getDefiningOp(); op && !splitOps.contains(op))
    own = getPhaseOf(op);
  SmallVector<CrossingUse> uses;
  for (OpOperand &use : value.getUses()) {
    auto storing = storingPhase.find(&use);
    std::optional<size_t> phase =
        storing != storingPhase.end() ? storing->second : getPhaseOf(use.getOwner());
    if (!phase || phase != own)
      uses.push_back({&use, phase});
  }
  return uses;
}

bool Phases::isRecomputed(Value value) const {
  int64_t budget = kMostRecomputed;
  return isRecomputed(value, budget);
}

bool Phases::isRecomputed(Value value, int64_t &budget) const {
  if (isOutside(value))
    return true;
  Operation *op = value.getDefiningOp();
  // The place in the table may be kept, if it stays the same in the block.
  if (op && isPointerLoad(op))
    return --budget >= 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
      return isRecomputed(operand, budget) ||
             (operand.getType().isIndex() && !isa<BlockArgument>(operand));
    });
  bool isCheap =
      op && !splitOps.contains(op) && op->getNumRegions() == 0 &&
      op->getNumResults() == 1 && isMemoryEffectFree(op) &&
      !isa<gpu::ShuffleOp, gpu::SubgroupBroadcastOp, gpu::SubgroupReduceOp,
           arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
      isa<IntegerType, IndexType, MemRefType>(value.getType());
  return isCheap && --budget >= 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isRecomputed(operand, budget); });
}

bool tinytc::isOnlyAccessed(memref::AllocaOp array) {
  return array.getType().getRank() == 1 && array.getType().hasStaticShape() &&
         llvm::all_of(array->getUses(), [](OpOperand &use) {
           Operation *op = use.getOwner();
           if (isa<memref::StoreOp, vector::StoreOp>(op))
             return use.getOperandNumber() == 1;
           return isa<memref::LoadOp, vector::LoadOp>(op);
         });
}

/// Whether memory may hold a value until the next phase.
static bool isKeptType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = vector.getElementType();
    return vector.getRank() == 1 && !vector.isScalable() && element.isIntOrFloat() &&
           element.getIntOrFloatBitWidth() >= 8;
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return type.isIntOrIndexOrFloat();
}

bool Phases::canBeKept(Value value) const {
  if (isOutside(value) || isKeptType(value.getType()))
    return true;
  SmallVector<CrossingUse> uses = getCrossingUses(value);
  auto array = value.getDefiningOp<memref::AllocaOp>();
  bool isFound = isRecomputed(value) || (array && isOnlyAccessed(array));
  return uses.empty() ||
         (isFound && llvm::all_of(uses, [](CrossingUse use) { return use.phase; }));
}

bool Phases::canAllBeKept() const {
  auto canBe = [&](Value value) { return canBeKept(value); };
  return llvm::all_of(variables,
                      [&](const Variable &variable) {
                        return llvm::all_of(variable.values, canBe);
                      }) &&
         llvm::all_of(phases, [&](const Phase &phase) {
           return llvm::all_of(phase.ops, [&](Operation *op) {
             return llvm::all_of(op->getResults(), canBe);
           });
         });
}
