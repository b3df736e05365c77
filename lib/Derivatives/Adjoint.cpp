//===- Adjoint.cpp - Reverse derivatives of kernels -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Emits the adjoint of each block by its plan: the instructions that make what adjoints
// need, then the adjoints from the last instruction to the first one.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/AdjointPlan.h"
#include "lib/Derivatives/Derivatives.h"
#include "lib/Derivatives/KernelAdjoint.h"
#include "lib/Derivatives/Signature.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

void AdjointEmitter::addAdjoint(Value value, Value term) {
  if (!isActive(value))
    return;
  Value &sum = adjoints[value];
  sum = sum ? Value(ArithAddOp::create(builder, sum, term)) : term;
}

Value KernelAdjoint::getContents(Operation *op, Value memref) {
  if (Value copy = copies.lookup({op, memref}))
    return copy;
  return getPrimal(memref);
}

Value KernelAdjoint::takeAdjoint(Value value) {
  Value adjoint = adjoints.lookup(value);
  adjoints.erase(value);
  return adjoint;
}

Value KernelAdjoint::getAdjointOrZero(Value value) {
  Value adjoint = adjoints.lookup(value);
  return adjoint
             ? adjoint
             : createNumber(builder, derivatives::getAdjointType(value.getType()), 0);
}

//===----------------------------------------------------------------------===//
// Whether iterations add to the same elements
//===----------------------------------------------------------------------===//

/// The indices with which an op accesses an element of a memref, if it does nothing
/// else with it.
static std::optional<ValueRange> getElement(Operation *op, Value memref) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getIndices();
  auto store = dyn_cast<StoreOp>(op);
  if (store && store.getDest() == memref)
    return store.getIndices();
  return std::nullopt;
}

/// Whether each iteration of a foreach accesses elements of its own: each loop variable
/// is the index of one mode in all accesses.
static bool isDisjoint(ForeachOp loop, Value memref) {
  Value storage = getStorage(memref);
  SmallVector<SmallVector<unsigned>> modes(loop.getFrom().size());
  bool isFirst = true;
  WalkResult result = loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<MemrefType>(operand.getType()) || getStorage(operand) != storage)
        continue;
      std::optional<ValueRange> element = getElement(op, operand);
      if (operand != memref || !element)
        return WalkResult::interrupt();
      for (auto [variable, known] : llvm::zip(loop.getBody().getArguments(), modes)) {
        SmallVector<unsigned> found;
        for (auto [mode, index] : llvm::enumerate(*element))
          if (index == variable && (isFirst || llvm::is_contained(known, mode)))
            found.push_back(mode);
        known = found;
      }
      isFirst = false;
    }
    return WalkResult::advance();
  });
  bool hasModes = llvm::none_of(modes, [](ArrayRef<unsigned> m) { return m.empty(); });
  return !result.wasInterrupted() && hasModes;
}

bool KernelAdjoint::isAtomic(Operation *op, Value memref) const {
  if (atomicParameters.contains(getStorage(memref)))
    return true;
  if (!isInSpmd)
    return false;
  auto loop = op->getParentOfType<ForeachOp>();
  return !loop || !isDisjoint(loop, memref);
}

//===----------------------------------------------------------------------===//
// Instructions that run again
//===----------------------------------------------------------------------===//

void KernelAdjoint::emitInstructions(Block &block, const DenseSet<Operation *> &emitted,
                                     const BlockPlan *blockPlan) {
  for (Operation &op : block.without_terminator()) {
    builder.setLoc(op.getLoc());
    if (blockPlan)
      for (Value memref : blockPlan->saved.lookup(&op))
        save(&op, memref);
    if (emitted.contains(&op))
      emitInstruction(&op, emitted, blockPlan);
    if (blockPlan)
      for (Value memref : blockPlan->savedAfter.lookup(&op))
        save(&op, memref);
  }
}

Value KernelAdjoint::createMemory(Value memref, Type element) {
  if (!kernelPlan.canCopy(memref))
    return {};
  ArrayRef<int64_t> shape = cast<MemrefType>(memref.getType()).getShape();
  if (!kernelPlan.usesBuffer(memref))
    return createLocal(builder, shape, element);
  return createBuffer(builder, kernel, shape, element,
                      *getLaunchSizes(kernelPlan.getKernel(), memref), dimensions);
}

/// A copy of a memref that the plan allows.
Value KernelAdjoint::createCopyOf(Value memref) {
  Value primal = getPrimal(memref);
  Type element = cast<MemrefType>(primal.getType()).getElementType();
  Value copy = createMemory(memref, element);
  createCopy(builder, primal, copy);
  return copy;
}

void KernelAdjoint::save(Operation *op, Value memref) {
  copies[{op, memref}] = createCopyOf(memref);
}

void KernelAdjoint::emitInstruction(Operation *op, const DenseSet<Operation *> &emitted,
                                    const BlockPlan *blockPlan) {
  if (isa<AllocaOp>(op)) {
    builder.clone(*op, primals);
    if (blockPlan && isActive(op->getResult(0))) {
      Value shadow = builder.clone(*op)->getResult(0);
      createFill(builder, shadow);
      shadows[op->getResult(0)] = shadow;
    }
    return;
  }
  if (isMemoryName(op))
    return emitView(op, blockPlan != nullptr);
  if (auto loop = dyn_cast<ForOp>(op)) {
    bool isKept = blockPlan && kernelPlan.isPlanned(loop) &&
                  kernelPlan.getPlan(loop).kind == LoopPlan::Kept;
    emitFor(loop, getPrimal(loop.getTo()), emitted, isKept);
    return;
  }
  if (op->getNumRegions() == 0 || isa<CooperativeMatrixApplyOp>(op)) {
    // A clone takes over arguments that are mapped, here to those of an earlier one.
    op->walk([&](Block *block) {
      for (BlockArgument argument : block->getArguments())
        primals.erase(argument);
    });
    builder.clone(*op, primals);
    return;
  }
  Operation *copy = builder.cloneWithoutRegions(*op, primals);
  for (auto [region, newRegion] : llvm::zip(op->getRegions(), copy->getRegions())) {
    if (region.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    startBlock(region.front(), newRegion);
    emitInstructions(region.front(), emitted, nullptr);
    builder.clone(*region.front().getTerminator(), primals);
  }
}

/// Begins the copy of a block, whose arguments are mapped.
void KernelAdjoint::startBlock(Block &block, Region &region) {
  Block &copy = region.emplaceBlock();
  for (BlockArgument argument : block.getArguments())
    primals.map(argument, copy.addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToStart(&copy);
}

void KernelAdjoint::emitView(Operation *op, bool hasShadow) {
  if (op->getNumResults() == 0)
    return;
  Value source = op->getOperand(0), result = op->getResult(0);
  if (hasShadow)
    if (Value shadow = shadows.lookup(source))
      shadows[result] = createView(builder, op, shadow, primals);
  primals.map(result, createView(builder, op, getPrimal(source), primals));
  if (kernelPlan.isCopied(result))
    copyParameter(result);
}

/// Puts local memory in the place of a parameter, or of the view of it, that the kernel
/// writes.
void KernelAdjoint::copyParameter(Value memref) {
  primals.map(memref, createCopyOf(memref));
}

Value KernelAdjoint::toIndex(Value number) {
  Type index = builder.getIndexType();
  return number.getType() == index ? number : CastOp::create(builder, index, number);
}

/// Runs the instructions of a loop up to `to`; `isKept` keeps what each iteration
/// begins with.
ForOp KernelAdjoint::emitFor(ForOp loop, Value to, const DenseSet<Operation *> &emitted,
                             bool isKept) {
  SmallVector<Value> tapes;
  if (isKept)
    tapes = createTapes(loop);
  auto map = [&](Value value) { return value ? getPrimal(value) : Value(); };
  auto inits = llvm::map_to_vector(loop.getInits(), map);
  Value from = map(loop.getFrom()), step = map(loop.getStep());
  auto copy = ForOp::create(builder, from, to, step, inits, loop.getUnrollAttr());
  Block &body = loop.getBody().front();
  {
    OpBuilder::InsertionGuard guard(builder);
    startBlock(body, copy.getBody());
    if (isKept) {
      Value passed = ArithSubOp::create(
          builder, toIndex(getPrimal(body.getArgument(0))), toIndex(from));
      if (step)
        passed = ArithDivOp::create(builder, passed, toIndex(step));
      keep(loop, tapes, passed);
    }
    emitInstructions(body, emitted, nullptr);
    builder.clone(*body.getTerminator(), primals);
  }
  for (auto [result, copied] : llvm::zip(loop.getResults(), copy.getResults()))
    primals.map(result, copied);
  return copy;
}

//===----------------------------------------------------------------------===//
// Values kept by iterations
//===----------------------------------------------------------------------===//

/// Memory for what each iteration of a loop begins with: for its memory, then for its
/// carried values.
SmallVector<Value> KernelAdjoint::createTapes(ForOp loop) {
  const LoopPlan &loopPlan = kernelPlan.getPlan(loop);
  SmallVector<Value> tapes;
  auto add = [&](SmallVector<int64_t> shape, Type element, LaunchSizes sizes) {
    shape.push_back(loopPlan.count);
    if (ShapedType::isDynamic(loopPlan.count))
      sizes.push_back(loopPlan.launchCount);
    tapes.push_back(loopPlan.usesBuffers ? createBuffer(builder, kernel, shape, element,
                                                        sizes, dimensions)
                                         : createLocal(builder, shape, element));
  };
  for (Value memory : loopPlan.memory) {
    auto type = cast<MemrefType>(memory.getType());
    LaunchSizes sizes;
    if (loopPlan.usesBuffers)
      sizes = *getLaunchSizes(kernelPlan.getKernel(), memory);
    add(SmallVector<int64_t>(type.getShape()), type.getElementType(), sizes);
  }
  for (unsigned number : loopPlan.values)
    add({}, loop.getRegionIterArgs()[number].getType(), {});
  keptValues[loop] = tapes;
  return tapes;
}

static Value createLastEntry(ImplicitLocOpBuilder &builder, Value memref, Value index) {
  int64_t order = cast<MemrefType>(memref.getType()).getOrder();
  return createEntry(builder, memref, order - 1, index);
}

void KernelAdjoint::keep(ForOp loop, ArrayRef<Value> tapes, Value iteration) {
  const LoopPlan &loopPlan = kernelPlan.getPlan(loop);
  ArrayRef<Value> ofMemory = tapes.take_front(loopPlan.memory.size());
  for (auto [memory, tape] : llvm::zip_equal(loopPlan.memory, ofMemory))
    createCopy(builder, getPrimal(memory), createLastEntry(builder, tape, iteration));
  for (auto [number, tape] :
       llvm::zip_equal(loopPlan.values, tapes.drop_front(loopPlan.memory.size())))
    StoreOp::create(builder, StoreFlag::Regular,
                    getPrimal(loop.getRegionIterArgs()[number]), tape, iteration);
}

/// Brings back what an iteration began with; `variable` is its loop variable.
void KernelAdjoint::restore(ForOp loop, Value iteration, Value variable) {
  const LoopPlan &loopPlan = kernelPlan.getPlan(loop);
  if (loopPlan.kind == LoopPlan::Again) {
    restoreSaved(loop);
    ForOp again = emitFor(loop, variable, loopPlan.emitted, false);
    for (auto [carried, value] :
         llvm::zip(loop.getRegionIterArgs(), again.getResults()))
      primals.map(carried, value);
  } else if (loopPlan.kind == LoopPlan::Kept) {
    ArrayRef<Value> tapes = keptValues[loop];
    ArrayRef<Value> ofMemory = tapes.take_front(loopPlan.memory.size());
    for (auto [memory, tape] : llvm::zip_equal(loopPlan.memory, ofMemory))
      createCopy(builder, createLastEntry(builder, tape, iteration), getPrimal(memory));
    for (auto [number, tape] :
         llvm::zip_equal(loopPlan.values, tapes.drop_front(loopPlan.memory.size())))
      primals.map(loop.getRegionIterArgs()[number],
                  LoadOp::create(builder, tape, iteration));
  }
}

/// Copies back what was saved before an instruction with a region.
void KernelAdjoint::restoreSaved(Operation *op) {
  const BlockPlan &blockPlan = kernelPlan.getPlan(*op->getBlock());
  auto saved = blockPlan.saved.find(op);
  if (saved == blockPlan.saved.end())
    return;
  for (Value memory : saved->second)
    createCopy(builder, copies.lookup({op, memory}), getPrimal(memory));
}

//===----------------------------------------------------------------------===//
// Adjoints
//===----------------------------------------------------------------------===//

LogicalResult KernelAdjoint::emitBlock(Block &block) {
  const BlockPlan &blockPlan = kernelPlan.getPlan(block);
  emitInstructions(block, blockPlan.emitted, &blockPlan);
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    builder.setLoc(op.getLoc());
    if (isa<BarrierOp>(op) && op.getParentOfType<ParallelOp>())
      builder.clone(op, primals);
    if (isMemoryName(&op) || !activity.isActive(&op))
      continue;
    if (failed(emitAdjointOf(&op)))
      return failure();
    for (Value result : op.getResults())
      adjoints.erase(result);
  }
  return success();
}

LogicalResult KernelAdjoint::emitAdjointOf(Operation *op) {
  if (auto loop = dyn_cast<ForOp>(op))
    return emitAdjointOfFor(loop);
  if (auto branch = dyn_cast<IfOp>(op)) {
    restoreSaved(op);
    return emitAdjointOfIf(branch);
  }
  if (isa<ForeachOp, ForeachTileOp, ParallelOp>(op)) {
    restoreSaved(op);
    return emitAdjointOfSpmd(op);
  }
  if (auto apply = dyn_cast<CooperativeMatrixApplyOp>(op))
    return emitAdjointOfApply(apply);
  return cast<DifferentiableOpInterface>(op).emitAdjoint(*this);
}

/// The active scalars and matrices from outside that an instruction uses in its
/// regions.
SmallVector<Value> KernelAdjoint::getOuterValues(Operation *op) const {
  llvm::SetVector<Value> values;
  op->walk([&](Operation *nested) {
    if (nested == op)
      return;
    for (Value operand : nested->getOperands())
      if (!isa<MemrefType, GroupType>(operand.getType()) && isActive(operand) &&
          !op->isAncestor(operand.getParentBlock()->getParentOp()))
        values.insert(operand);
  });
  return values.takeVector();
}

/// From the last iteration to the first one. The adjoints of carried values and of
/// values from outside are carried.
LogicalResult KernelAdjoint::emitAdjointOfFor(ForOp loop) {
  SmallVector<unsigned> numbers;
  SmallVector<Value> inits;
  for (auto [number, result] : llvm::enumerate(loop.getResults())) {
    if (!isActive(result))
      continue;
    numbers.push_back(number);
    inits.push_back(getAdjointOrZero(result));
  }
  SmallVector<Value> outer = getOuterValues(loop);
  for (Value value : outer)
    inits.push_back(getAdjointOrZero(value));
  if (kernelPlan.getPlan(loop).kind != LoopPlan::Again)
    restoreSaved(loop);

  Value one = createIndex(builder, 1);
  Value from = toIndex(getPrimal(loop.getFrom()));
  Value count = ArithSubOp::create(builder, toIndex(getPrimal(loop.getTo())), from);
  Value step = loop.getStep() ? toIndex(getPrimal(loop.getStep())) : Value();
  if (step) {
    Value most = ArithSubOp::create(builder, step, one);
    count = ArithDivOp::create(builder, ArithAddOp::create(builder, count, most), step);
  }
  Block &body = loop.getBody().front();
  Operation *yield = body.getTerminator();
  LogicalResult status = success();
  auto emitBody = [&](ImplicitLocOpBuilder &, Value passed, ValueRange carried) {
    Value iteration =
        ArithSubOp::create(builder, ArithSubOp::create(builder, count, one), passed);
    Value variable = iteration;
    if (step)
      variable = ArithMulOp::create(builder, variable, step);
    variable = ArithAddOp::create(builder, from, variable);
    if (loop.getFrom().getType() != variable.getType())
      variable = CastOp::create(builder, loop.getFrom().getType(), variable);
    restore(loop, iteration, variable);
    primals.map(loop.getInductionVar(), variable);
    for (auto [value, adjoint] :
         llvm::zip_equal(outer, carried.drop_front(numbers.size())))
      adjoints[value] = adjoint;
    for (auto [number, adjoint] :
         llvm::zip_equal(numbers, carried.take_front(numbers.size())))
      addAdjoint(yield->getOperand(number), adjoint);
    if (failed(emitBlock(body)))
      status = failure();
    SmallVector<Value> yielded;
    for (unsigned number : numbers) {
      Value value = loop.getRegionIterArgs()[number];
      yielded.push_back(getAdjointOrZero(value));
      adjoints.erase(value);
    }
    for (Value value : outer)
      yielded.push_back(getAdjointOrZero(value));
    return yielded;
  };
  ForOp reversed = createFor(builder, createIndex(builder, 0), count, inits, emitBody);
  ValueRange results = reversed.getResults();
  for (auto [value, adjoint] :
       llvm::zip_equal(outer, results.drop_front(numbers.size())))
    adjoints[value] = adjoint;
  for (auto [number, adjoint] :
       llvm::zip_equal(numbers, results.take_front(numbers.size())))
    addAdjoint(loop.getInits()[number], adjoint);
  return status;
}

LogicalResult KernelAdjoint::emitAdjointOfIf(IfOp op) {
  SmallVector<Value> outer = getOuterValues(op), before, resultAdjoints;
  for (Value value : outer)
    before.push_back(getAdjointOrZero(value));
  for (Value result : op.getResults())
    resultAdjoints.push_back(takeAdjoint(result));
  SmallVector<Type> types;
  for (Value value : outer)
    types.push_back(getAdjointType(value.getType()));
  auto branch = IfOp::create(builder, types, getPrimal(op.getCondition()));
  for (auto [region, newRegion] :
       llvm::zip_equal(op->getRegions(), branch->getRegions())) {
    if (region.empty() && outer.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&newRegion.emplaceBlock());
    for (auto [value, adjoint] : llvm::zip_equal(outer, before))
      adjoints[value] = adjoint;
    if (!region.empty()) {
      Operation *yield = region.front().getTerminator();
      for (auto [value, adjoint] : llvm::zip(yield->getOperands(), resultAdjoints))
        if (adjoint)
          addAdjoint(value, adjoint);
      if (failed(emitBlock(region.front())))
        return failure();
    }
    SmallVector<Value> yielded;
    for (Value value : outer)
      yielded.push_back(getAdjointOrZero(value));
    YieldOp::create(builder, yielded);
  }
  for (auto [value, adjoint] : llvm::zip_equal(outer, branch.getResults()))
    adjoints[value] = adjoint;
  return success();
}

/// The same region. What work-items use of values from outside is added up in local
/// memory.
LogicalResult KernelAdjoint::emitAdjointOfSpmd(Operation *op) {
  SmallVector<Value> outer = getOuterValues(op), before, sums;
  for (Value value : outer) {
    before.push_back(takeAdjoint(value));
    sums.push_back(createLocal(builder, {}, value.getType()));
    StoreOp::create(builder, StoreFlag::Regular,
                    createNumber(builder, value.getType(), 0), sums.back(),
                    ValueRange());
  }
  Operation *copy = builder.cloneWithoutRegions(*op, primals);
  Block &block = op->getRegion(0).front();
  {
    OpBuilder::InsertionGuard guard(builder);
    startBlock(block, copy->getRegion(0));
    bool wasInSpmd = std::exchange(isInSpmd, true);
    if (failed(emitBlock(block)))
      return failure();
    isInSpmd = wasInSpmd;
    for (auto [value, sum] : llvm::zip_equal(outer, sums))
      if (Value adjoint = takeAdjoint(value))
        StoreOp::create(builder, StoreFlag::AtomicAdd, adjoint, sum, ValueRange());
    YieldOp::create(builder);
  }
  for (auto [value, sum, adjoint] : llvm::zip_equal(outer, sums, before)) {
    if (adjoint)
      adjoints[value] = adjoint;
    addAdjoint(value, LoadOp::create(builder, sum, ValueRange()));
  }
  return success();
}
