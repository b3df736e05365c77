//===- Dataflow.cpp - What the values of a kernel are computed from -------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/SPIRV/Drivers/Dataflow.h"

#include "dialect/TinyTC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

static bool isPrivate(Value memref) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(
      cast<MemRefType>(memref.getType()).getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Private;
}

/// The values that arrive at a result or an argument of a region, depending on the
/// control flow.
static void appendPredecessors(Value value, RegionBranchOpInterface branch,
                               SmallVectorImpl<Value> &sources) {
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (Region &region : branch->getRegions())
    branch.getSuccessorRegions(region, successors);
  for (RegionSuccessor successor : successors) {
    ValueRange inputs = successor.getSuccessorInputs();
    auto input = llvm::find(inputs, value);
    if (input == inputs.end())
      continue;
    SmallVector<Value> found;
    branch.getPredecessorValues(successor, std::distance(inputs.begin(), input), found);
    llvm::append_range(sources, found);
    return;
  }
}

SmallVector<Value, 1> tinytc::getDeciders(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value, 1>>(op)
      .Case([](scf::IfOp op) { return SmallVector<Value, 1>{op.getCondition()}; })
      .Case([](scf::ForOp op) {
        return SmallVector<Value, 1>{op.getLowerBound(), op.getUpperBound(),
                                     op.getStep()};
      })
      .Case([](scf::WhileOp op) {
        return SmallVector<Value, 1>{op.getConditionOp().getCondition()};
      })
      .Default([](Operation *op) { return SmallVector<Value, 1>(op->getOperands()); });
}

/// Whether the operation does nothing that a barrier orders. Drivers know no more of
/// some functions of a subgroup than that.
static bool isComputation(Operation *op) {
  return isMemoryEffectFree(op) ||
         isa<OpaqueIndexOp, memref::AllocOp, memref::AllocaOp>(op) ||
         isa<gpu::GPUDialect>(op->getDialect());
}

/// Whether an operation gives all lanes the same if they give it the same. A shuffle
/// does not: which lanes have a partner differs, and the others get any number.
static bool sharesResult(Operation *op) {
  return !isa<gpu::GPUDialect>(op->getDialect()) ||
         isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp, gpu::NumSubgroupsOp,
             gpu::SubgroupSizeOp, gpu::SubgroupBroadcastOp, gpu::SubgroupReduceOp>(op);
}

static Origin findResult(Operation *op) {
  Origin origin;
  origin.sources.assign(op->operand_begin(), op->operand_end());
  auto load = dyn_cast<memref::LoadOp>(op);
  origin.isRead = !isComputation(op);
  origin.isPrivate = load && isPrivate(load.getMemRef());
  // All work-items load the same from one address.
  origin.differs = !sharesResult(op) || origin.isPrivate || (origin.isRead && !load);
  return origin;
}

static Origin findOrigin(Value value) {
  Origin origin;
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    origin.sources = {select.getTrueValue(), select.getFalseValue()};
    origin.deciders = {select.getCondition()};
    origin.isChoice = true;
    return origin;
  }
  Operation *owner = op ? op : cast<BlockArgument>(value).getOwner()->getParentOp();
  auto branch = dyn_cast<RegionBranchOpInterface>(owner);
  if (branch) {
    SmallVector<Value> sources;
    appendPredecessors(value, branch, sources);
    origin.sources.assign(sources.begin(), sources.end());
    origin.deciders = getDeciders(owner);
    origin.isChoice = !sources.empty();
    if (origin.sources.empty()) // the variable of a loop
      origin.sources.assign(origin.deciders.begin(), origin.deciders.end());
    return origin;
  }
  if (op)
    return findResult(op);
  // An argument of the kernel, or of a region that changes memory.
  origin.isRead = origin.differs = !isa<FunctionOpInterface>(owner);
  return origin;
}

void Dataflow::add(Value value) {
  values.push_back(value);
  Origin &origin = origins[value] = findOrigin(value);
  for (Value source : origin.sources)
    dependents[source].push_back(value);
}

Dataflow::Dataflow(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root)
      llvm::for_each(op->getResults(), [this](Value value) { add(value); });
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), [this](Value value) { add(value); });
    if (!isComputation(op) && !isa<RegionBranchOpInterface, memref::LoadOp>(op))
      llvm::append_range(stored, op->getOperands());
  });
}

void Dataflow::grow(DenseSet<Value> &set,
                    function_ref<bool(const Origin &, Value)> test) const {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Value value : values)
      if (!set.contains(value) && test(getOrigin(value), value))
        isChanged |= set.insert(value).second;
  }
}

DenseSet<Value> Dataflow::findVarying() const {
  DenseSet<Value> varying;
  auto isVarying = [&](Value value) { return varying.contains(value); };
  grow(varying, [&](const Origin &origin, Value) {
    return origin.differs || llvm::any_of(origin.sources, isVarying) ||
           llvm::any_of(origin.deciders, isVarying);
  });
  return varying;
}

Crossings::Crossings(Operation *root) : root(root) {
  root->walk([&](gpu::BarrierOp barrier) {
    for (Operation *op = barrier; op != root; op = op->getParentOp()) {
      SmallVector<Operation *> &known = holders[op->getBlock()];
      if (llvm::is_contained(known, op))
        break;
      known.push_back(op);
    }
  });
}

/// Whether `holder` is, or contains, a barrier between a value and its user.
static bool isBetween(Value value, Operation *holder, Operation *user) {
  Operation *def = value.getDefiningOp();
  if (def && !def->isBeforeInBlock(holder))
    return false;
  Operation *ancestor = holder->getBlock()->findAncestorOpInBlock(*user);
  return ancestor == holder ? user != holder : holder->isBeforeInBlock(ancestor);
}

bool Crossings::crosses(Value value) const {
  auto found = holders.find(value.getParentBlock());
  if (found == holders.end())
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return llvm::any_of(found->second, [&](Operation *holder) {
      return isBetween(value, holder, user);
    });
  });
}

std::pair<Block *, Operation *> Crossings::getStretch(Operation *op) const {
  auto holdsBarrier = [&](Operation *op) {
    return op == root || llvm::is_contained(holders.lookup(op->getBlock()), op);
  };
  while (!holdsBarrier(op->getParentOp()))
    op = op->getParentOp();
  Operation *last = nullptr;
  for (Operation *holder : holders.lookup(op->getBlock()))
    if (holder->isBeforeInBlock(op) && (!last || last->isBeforeInBlock(holder)))
      last = holder;
  return {op->getBlock(), last};
}
