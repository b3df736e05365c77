//===- AdjointPlan.cpp - What a reverse derivative runs again -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/AdjointPlan.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Derivatives/Derivatives.h"
#include "lib/Derivatives/Signature.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

void Needs::add(const Needs &other) {
  values.insert(other.values.begin(), other.values.end());
  memory.insert(other.memory.begin(), other.memory.end());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool isStatic(Value memory) {
  auto type = dyn_cast<MemrefType>(memory.getType());
  return type && type.hasStaticShape();
}

/// The only view or member of a memref or group that the kernel accesses, if there is
/// one that all of the kernel can use.
static Value getOnlyView(FuncOp func, Value memref) {
  Operation *view = nullptr;
  for (Operation *user : memref.getUsers()) {
    if (isa<SizeOp, AssociatedOp>(user))
      continue;
    bool isAtTop = user->getParentOp() == func;
    if (view || !isMemoryName(user) || !isAtTop)
      return {};
    view = user;
  }
  return view && view->getNumResults() == 1 ? view->getResult(0) : Value();
}

AdjointPlan::AdjointPlan(FuncOp func, const Activity &activity, const Options &options)
    : func(func), activity(activity), options(options) {
  for (Value parameter : func.getArguments()) {
    if (!isa<MemrefType, GroupType>(parameter.getType()))
      continue;
    Value memory = parameter;
    while (!isStatic(memory)) {
      Value view = getOnlyView(func, memory);
      if (!view)
        break;
      memory = view;
    }
    viewOf[parameter] = memory;
  }
}

/// The alloca, the parameter, or the view of it, that a memref is a part of.
Value AdjointPlan::getMemory(Value memref) const {
  Value storage = getStorage(memref);
  Value view = viewOf.lookup(storage);
  return view ? view : storage;
}

bool AdjointPlan::isLocal(Value memory) const {
  return memory.getDefiningOp<AllocaOp>() != nullptr;
}

/// The memory that an op writes; with `only`, as far as these instructions do.
DenseSet<Value> AdjointPlan::getWritten(Operation *op,
                                        const DenseSet<Operation *> *only) const {
  DenseSet<Value> written;
  op->walk([&](Operation *nested) {
    if (!only || only->contains(nested))
      for (const MemrefUse &use : getMemrefUses(nested))
        if (use.isWritten)
          written.insert(getMemory(use.memref));
  });
  return written;
}

bool AdjointPlan::isCopied(Value memory) const {
  if (isLocal(memory) || isBuffer(getStorage(memory)) || getMemory(memory) != memory)
    return false;
  return llvm::any_of(
      blocks, [&](const auto &block) { return block.second.written.contains(memory); });
}

bool AdjointPlan::usesBuffer(Value memref) const {
  return !isStatic(memref) ||
         (options.buffers &&
          getLocalBytes(cast<MemrefType>(memref.getType())) > options.localMemoryBytes);
}

bool AdjointPlan::canCopy(Value memref) const {
  return isStatic(memref) || (options.buffers && getLaunchSizes(func, memref));
}

//===----------------------------------------------------------------------===//
// Which instructions make what is needed
//===----------------------------------------------------------------------===//

static bool overlap(const DenseSet<Value> &a, const llvm::SetVector<Value> &b) {
  return llvm::any_of(b, [&](Value value) { return a.contains(value); });
}

/// Whether an instruction writes all of a memory.
static bool overwritesMemory(Operation *op, Value memory) {
  if (auto blas = dyn_cast<BlasOpInterface>(op))
    return blas.getDestination() == memory && !blas.getAtomic() &&
           isZero(blas.getBeta());
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getDest() == memory && store.getIndices().empty() &&
           store.getFlag() == StoreFlag::Regular;
  return false;
}

bool derivatives::overwritesAll(ForeachOp loop, Value memory) {
  auto type = dyn_cast<MemrefType>(memory.getType());
  ValueRange variables = loop.getBody().getArguments();
  if (!type || type.getOrder() != int64_t(variables.size()))
    return false;
  for (auto [mode, size] : llvm::enumerate(type.getShape()))
    if (!isConstant(loop.getFrom()[mode], 0) ||
        getConstantIntValue(loop.getTo()[mode]) != size)
      return false;
  return llvm::any_of(loop.getBody().getOps<StoreOp>(), [&](StoreOp store) {
    return store.getDest() == memory && store.getFlag() == StoreFlag::Regular &&
           ValueRange(store.getIndices()) == variables;
  });
}

/// Whether an instruction is around one that is emitted, such as an assertion.
static bool hasEmitted(Operation *op, const DenseSet<Operation *> &emitted) {
  return op
      ->walk([&](Operation *nested) {
        return nested != op && emitted.contains(nested) ? WalkResult::interrupt()
                                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds an instruction to `emitted` if it makes what is needed after it, and changes
/// `needs` to what is needed before it.
bool AdjointPlan::slice(Operation *op, Needs &needs, DenseSet<Operation *> &emitted) {
  if (isa<BarrierOp>(op) && op->getParentOfType<ParallelOp>())
    emitted.insert(op);
  if (isa<BarrierOp, AssertOp, LifetimeStopOp, CooperativeMatrixPrefetchOp>(op))
    return false;
  bool isNeeded =
      llvm::any_of(op->getResults(),
                   [&](Value result) { return needs.values.contains(result); }) ||
      overlap(getWritten(op, nullptr), needs.memory) || hasEmitted(op, emitted);
  if (!isNeeded)
    return false;
  emitted.insert(op);
  needs.values.insert(op->operand_begin(), op->operand_end());
  if (auto loop = dyn_cast<ForOp>(op)) {
    sliceFor(loop, {}, needs, emitted);
  } else if (auto branch = dyn_cast<IfOp>(op)) {
    sliceIf(branch, needs, emitted);
  } else if (isa<ForeachOp, ForeachTileOp, ParallelOp>(op)) {
    sliceSpmd(op, needs, emitted);
  } else {
    if (isa<AllocaOp>(op))
      needs.memory.remove(op->getResult(0));
    for (Value memory : SmallVector<Value>(needs.memory.getArrayRef()))
      if (overwritesMemory(op, memory))
        needs.memory.remove(memory);
    op->walk([&](Operation *nested) { // of cooperative_matrix_apply
      emitted.insert(nested);
      needs.values.insert(nested->operand_begin(), nested->operand_end());
      for (const MemrefUse &use : getMemrefUses(nested))
        if (use.isRead)
          needs.memory.insert(getMemory(use.memref));
    });
  }
  return true;
}

void AdjointPlan::slice(Block &block, Needs &needs, DenseSet<Operation *> &emitted) {
  for (Operation &op : llvm::reverse(block.without_terminator()))
    slice(&op, needs, emitted);
}

/// The instructions of a loop; `memory` is needed at the start of each iteration.
void AdjointPlan::sliceFor(ForOp loop, ValueRange memory, Needs &needs,
                           DenseSet<Operation *> &emitted) {
  emitted.insert(loop);
  needs.values.insert(loop->operand_begin(), loop->operand_end());
  Block &body = loop.getBody().front();
  Operation *yield = body.getTerminator();
  needs.values.insert(yield->operand_begin(), yield->operand_end());
  needs.memory.insert(memory.begin(), memory.end());
  size_t count;
  do {
    count = needs.memory.size();
    Needs nested = needs;
    slice(body, nested, emitted);
    needs.add(nested);
  } while (needs.memory.size() != count);
}

void AdjointPlan::sliceIf(IfOp op, Needs &needs, DenseSet<Operation *> &emitted) {
  Needs before;
  bool isComplete = true;
  for (Region &region : op->getRegions()) {
    if (region.empty()) {
      isComplete = false;
      continue;
    }
    Needs nested = needs;
    Operation *yield = region.front().getTerminator();
    nested.values.insert(yield->operand_begin(), yield->operand_end());
    slice(region.front(), nested, emitted);
    before.add(nested);
  }
  if (!isComplete)
    before.add(needs);
  before.values.insert(op.getCondition());
  needs = before;
}

void AdjointPlan::sliceSpmd(Operation *op, Needs &needs,
                            DenseSet<Operation *> &emitted) {
  Needs nested = needs;
  slice(op->getRegion(0).front(), nested, emitted);
  if (auto loop = dyn_cast<ForeachOp>(op)) {
    DenseSet<Value> read;
    op->walk([&](Operation *inner) {
      for (const MemrefUse &use : getMemrefUses(inner))
        if (use.isRead)
          read.insert(getMemory(use.memref));
    });
    nested.memory.remove_if([&](Value memory) {
      return overwritesAll(loop, memory) && !read.contains(memory);
    });
    needs.memory.clear();
  }
  needs.add(nested);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

DenseSet<Operation *> AdjointPlan::getLive() {
  Needs needs;
  DenseSet<Operation *> live;
  for (Value parameter : func.getArguments())
    if (isa<MemrefType, GroupType>(parameter.getType()) && !isBuffer(parameter))
      needs.memory.insert(getMemory(parameter));
  func->walk([&](Operation *op) {
    if (isa<AssertOp>(op)) {
      live.insert(op);
      needs.values.insert(op->operand_begin(), op->operand_end());
    }
  });
  slice(func.getBody().front(), needs, live);
  // The ops around a live instruction, and those that end the life of live memory.
  func->walk([&](Operation *op) {
    bool isEnd =
        isa<LifetimeStopOp>(op) && live.contains(op->getOperand(0).getDefiningOp());
    if (isEnd || live.contains(op))
      for (; op != func; op = op->getParentOp())
        live.insert(op);
  });
  return live;
}

LogicalResult AdjointPlan::run() {
  if (failed(plan(func.getBody().front(), false)))
    return failure();
  return checkCopies();
}

/// Arrays that the adjoint writes instead of the kernel's must have a known size.
LogicalResult AdjointPlan::checkCopies() {
  for (auto [index, parameter] : llvm::enumerate(func.getArguments())) {
    Value memory = viewOf.lookup(parameter);
    if (memory && isCopied(memory) && !canCopy(memory))
      return func.emitOpError("expected an array of which a launch knows the size for "
                              "parameter '")
             << getParameterName(func, index)
             << "', which the adjoint writes in a copy, got " << memory.getType();
  }
  return success();
}

LogicalResult AdjointPlan::plan(Block &block, bool isSpmd) {
  BlockPlan result;
  DenseSet<Value> writtenLater;
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (failed(plan(&op, isSpmd, result, writtenLater)))
      return failure();
  result.written = writtenLater;
  blocks[&block] = std::move(result);
  return success();
}

/// Adds an instruction and its adjoint to the plan of its block, for which all later
/// instructions have been planned.
LogicalResult AdjointPlan::plan(Operation *op, bool isSpmd, BlockPlan &plan,
                                DenseSet<Value> &writtenLater) {
  AdjointUses uses;
  Needs region;
  llvm::SetVector<Value> restored;
  DenseSet<Value> writtenByAdjoint;
  if (isa<ExpandC2ROp>(op) && activity.isActive(op->getResult(0)))
    return refuse(op, "the adjoint of an imaginary part has another sign in a complex "
                      "number than as a real number");
  bool hasAdjoint = !isMemoryName(op) && activity.isActive(op);
  if (hasAdjoint && op->getNumRegions() > 0) {
    bool isNestedSpmd = isSpmd || isa<ForeachOp, ForeachTileOp, ParallelOp>(op);
    region.values.insert(op->operand_begin(), op->operand_end());
    for (Region &nested : op->getRegions()) {
      if (nested.empty())
        continue;
      if (failed(this->plan(nested.front(), isNestedSpmd)))
        return failure();
      const BlockPlan &inner = getPlan(nested.front());
      writtenByAdjoint.insert(inner.written.begin(), inner.written.end());
      if (!isa<ForOp>(op))
        region.add(inner.needs);
    }
    if (auto loop = dyn_cast<ForOp>(op)) {
      if (failed(planFor(loop, isSpmd, plan, region, restored)))
        return failure();
      DenseSet<Value> again = getWritten(op, &loops[loop].emitted);
      writtenByAdjoint.insert(again.begin(), again.end());
      if (loops[loop].kind == LoopPlan::Kept)
        writtenByAdjoint.insert(loops[loop].memory.begin(), loops[loop].memory.end());
    }
  } else if (hasAdjoint) {
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    if (!rule)
      return refuseWithoutRule(op);
    rule.getAdjointUses(activity, uses);
    for (Value operand : op->getOperands())
      if (isa<MemrefType>(operand.getType()) && activity.isActive(operand))
        uses.addValue(operand);
    for (Value memref : llvm::concat<Value>(uses.contents, uses.results))
      uses.addValue(memref);
  }
  for (Value memref : uses.results) {
    Value memory = getMemory(memref);
    plan.needs.memory.insert(memory);
    if (writtenLater.contains(memory) &&
        failed(save(op, memref, isSpmd, plan, /*isAfter=*/true)))
      return failure();
  }
  plan.needs.values.insert(uses.values.begin(), uses.values.end());
  plan.needs.values.insert(region.values.begin(), region.values.end());

  slice(op, plan.needs, plan.emitted);
  DenseSet<Value> written = getWritten(op, &plan.emitted);
  writtenLater.insert(written.begin(), written.end());
  if (isa<AllocaOp>(op))
    plan.needs.memory.remove(op->getResult(0));

  for (Value memref : uses.contents) {
    Value memory = getMemory(memref);
    plan.needs.memory.insert(memory);
    if (writtenLater.contains(memory) && failed(save(op, memref, isSpmd, plan)))
      return failure();
  }
  for (Value memory : region.memory) {
    plan.needs.memory.insert(memory);
    bool isSaved = writtenLater.contains(memory) || restored.contains(memory);
    if (isSaved && failed(save(op, memory, isSpmd, plan)))
      return failure();
  }
  writtenLater.insert(writtenByAdjoint.begin(), writtenByAdjoint.end());
  return success();
}

/// Copies a memref before an instruction, or after it.
LogicalResult AdjointPlan::save(Operation *op, Value memref, bool isSpmd,
                                BlockPlan &plan, bool isAfter) {
  if (isSpmd)
    return refuse(op, "it needs what is overwritten later in an SPMD region, where "
                      "there is no local memory to keep it in");
  if (!canCopy(memref))
    return refuse(op, "it needs what is overwritten later in memory of dynamic size, "
                      "which neither local memory nor a buffer can keep, as no launch "
                      "knows its size");
  (isAfter ? plan.savedAfter : plan.saved)[op].insert(memref);
  plan.needs.values.insert(memref);
  if (!options.report)
    return success();
  InFlightDiagnostic remark =
      op->emitRemark("its adjoint needs what is overwritten later: kept in ");
  if (usesBuffer(memref))
    remark << "a buffer";
  else
    remark << getLocalBytes(cast<MemrefType>(memref.getType()))
           << " bytes of local memory";
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getTripCount(ForOp loop) {
  std::optional<int64_t> from = getConstantIntValue(loop.getFrom()),
                         to = getConstantIntValue(loop.getTo()), step = 1;
  if (loop.getStep())
    step = getConstantIntValue(loop.getStep());
  if (!from || !to || !step || *step < 1)
    return std::nullopt;
  return std::max<int64_t>(0, (*to - *from + *step - 1) / *step);
}

/// Whether local memory can keep what each iteration begins with.
bool AdjointPlan::canKeep(ForOp loop, LoopPlan &plan) const {
  std::optional<int64_t> count = getTripCount(loop);
  if (!count || *count < 1)
    return false;
  plan.count = *count;
  int64_t bytes = 0;
  for (Value memory : plan.memory) {
    if (!isStatic(memory))
      return false;
    auto type = cast<MemrefType>(memory.getType());
    bytes +=
        *count * getLocalBytes(MemrefType::get(type.getShape(), type.getElementType()));
  }
  for (unsigned number : plan.values) {
    Type type = loop.getRegionIterArgs()[number].getType();
    if (!isScalarType(type))
      return false;
    bytes += *count * getSizeBytes(type);
  }
  if (bytes > options.localMemoryBytes)
    return false;
  if (options.report)
    loop.emitRemark("its adjoint needs what each iteration begins with: kept in ")
        << bytes << " bytes of local memory";
  return true;
}

/// Whether buffers can: a launch knows the number of iterations and all sizes.
bool AdjointPlan::canKeepInBuffers(ForOp loop, LoopPlan &plan) const {
  auto isKnown = [&](Value memory) { return getLaunchSizes(func, memory).has_value(); };
  auto isScalar = [&](unsigned number) {
    return isScalarType(loop.getRegionIterArgs()[number].getType());
  };
  if (!options.buffers || !llvm::all_of(plan.memory, isKnown) ||
      !llvm::all_of(plan.values, isScalar))
    return false;
  plan.count = getTripCount(loop).value_or(ShapedType::kDynamic);
  if (ShapedType::isDynamic(plan.count)) {
    std::optional<int64_t> from = getConstantIntValue(loop.getFrom()), step = 1;
    if (loop.getStep())
      step = getConstantIntValue(loop.getStep());
    std::optional<LaunchSize> to = getLaunchSize(func, loop.getTo());
    if (!from || !step || *step < 1 || !to || to->divisor != 1)
      return false;
    plan.launchCount = *to;
    plan.launchCount.added += *step - 1 - *from;
    plan.launchCount.divisor = *step;
  } else if (plan.count < 1) {
    return false;
  }
  plan.usesBuffers = true;
  if (options.report)
    loop.emitRemark("its adjoint needs what each iteration begins with: kept in a "
                    "buffer");
  return true;
}

LogicalResult AdjointPlan::planFor(ForOp loop, bool isSpmd, BlockPlan &plan,
                                   Needs &region, llvm::SetVector<Value> &restored) {
  const Needs &needs = getPlan(loop.getBody().front()).needs;
  LoopPlan result;
  DenseSet<Value> written = getWritten(loop, nullptr);
  for (Value memory : needs.memory)
    if (written.contains(memory))
      result.memory.push_back(memory);
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs()))
    if (needs.values.contains(carried))
      result.values.push_back(number);
  region.values.insert(needs.values.begin(), needs.values.end());
  if (result.memory.empty() && result.values.empty()) {
    region.memory.insert(needs.memory.begin(), needs.memory.end());
  } else if (!isSpmd && (canKeep(loop, result) || canKeepInBuffers(loop, result))) {
    result.kind = LoopPlan::Kept;
    plan.needs.values.insert(needs.values.begin(), needs.values.end());
    sliceFor(loop, result.memory, plan.needs, plan.emitted);
    for (Value memory : needs.memory)
      if (!written.contains(memory))
        region.memory.insert(memory);
  } else {
    result.kind = LoopPlan::Again;
    Needs again;
    again.values = needs.values;
    sliceFor(loop, needs.memory.getArrayRef(), again, result.emitted);
    region.add(again);
    DenseSet<Value> rewritten = getWritten(loop, &result.emitted);
    for (Value memory : again.memory)
      if (rewritten.contains(memory) || written.contains(memory))
        restored.insert(memory);
    if (options.report)
      loop.emitRemark("its adjoint needs what each iteration begins with: computed "
                      "again from the first iteration");
  }
  loops[loop] = std::move(result);
  return success();
}
