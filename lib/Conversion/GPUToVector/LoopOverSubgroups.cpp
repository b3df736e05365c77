//===- LoopOverSubgroups.cpp - Subgroups one after the other --------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A kernel of several subgroups becomes one of a single subgroup: what it does between
// two barriers is a loop over the subgroups. Values that live across a barrier are in
// arrays with an element for each subgroup.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Conversion/GPUToVector/Phases.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_LOOPOVERSUBGROUPSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Arrays with an element for each subgroup: two for a complex number.
struct Kept {
  SmallVector<Value, 2> arrays;
  LaneShape shape;
};

class SubgroupLooper {
public:
  SubgroupLooper(gpu::GPUFuncOp kernel, KernelWorkGroup group, Phases &phases)
      : kernel(kernel), group(group), phases(phases),
        count(group.getNumLanes() / group.subgroupSize),
        builder(kernel.getLoc(), kernel) {}

  void run();

private:
  /// The loop of a phase, and its first op but for those that bring values from others.
  struct Loop {
    scf::ForOp loop;
    Operation *first;
    DenseMap<Value, Value> known;
  };

  void createLoops();
  void copyArrays(Phase &phase);
  void copyArray(memref::AllocaOp array);
  void nameArrays();
  void storeSources(const Variable &variable);
  void storeResults(Phase &phase);
  /// Replaces uses of a value that are not in its own phase.
  void replaceUses(Value value);
  void dropVariables(scf::ForOp op);
  void dropVariables(scf::IfOp op);
  void eraseBarriers();
  void replaceIds();

  Value createArray(Location loc, Type element, int64_t size, bool isPrivate);
  const Kept &getKept(Value value);
  void store(const Kept &kept, Value number, Value value);
  Value load(const Kept &kept, Value number, Type type);
  /// The difference of lane l of a linear value to lane 0.
  Value createDistance(Type type, int64_t step);
  /// A value in a phase: the same, loaded or computed again.
  Value getIn(size_t phase, Value value);
  /// The number of the subgroup that runs an op.
  Value getNumberAt(Operation *op);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  llvm::BitVector findDropped(ValueRange values) const;

  gpu::GPUFuncOp kernel;
  KernelWorkGroup group;
  Phases &phases;
  int64_t count;
  ImplicitLocOpBuilder builder;
  SmallVector<Loop> loops;
  llvm::DenseSet<Operation *> subgroupLoops;
  DenseMap<Value, Kept> kept;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values that live across barriers
//===----------------------------------------------------------------------===//

/// An array of a work-item has an element of each lane.
Value SubgroupLooper::createArray(Location loc, Type element, int64_t size,
                                  bool isPrivate) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Attribute space;
  if (isPrivate)
    space =
        gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
  return memref::AllocaOp::create(
      static_cast<OpBuilder &>(builder), loc,
      MemRefType::get({count * size}, element, MemRefLayoutAttrInterface(), space));
}

const Kept &SubgroupLooper::getKept(Value value) {
  auto [place, isNew] = kept.try_emplace(value);
  if (!isNew)
    return place->second;
  Kept &made = place->second;
  made.shape = phases.getShape(value);
  Type type = value.getType();
  auto create = [&](Type element, int64_t size) {
    made.arrays.push_back(
        createArray(value.getLoc(), element, size, made.shape.isVarying));
  };
  if (auto vector = dyn_cast<VectorType>(type))
    create(vector.getElementType(), vector.getNumElements());
  else if (auto complex = dyn_cast<ComplexType>(type))
    for (int part = 0; part < 2; ++part)
      create(complex.getElementType(), 1);
  else
    create(type, 1);
  return made;
}

Value SubgroupLooper::createDistance(Type type, int64_t step) {
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  Value distance = arith::MulIOp::create(builder, lane, constant(step));
  if (type.isIndex())
    return distance;
  return arith::IndexCastOp::create(builder, type, distance);
}

void SubgroupLooper::store(const Kept &kept, Value number, Value value) {
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    Value place =
        arith::MulIOp::create(builder, number, constant(vector.getNumElements()));
    vector::StoreOp::create(builder, value, kept.arrays[0], place);
    return;
  }
  if (int64_t step = kept.shape.step)
    value = arith::SubIOp::create(builder, value, createDistance(type, step));
  SmallVector<Value, 2> parts{value};
  if (isa<ComplexType>(type))
    parts = {complex::ReOp::create(builder, value),
             complex::ImOp::create(builder, value)};
  for (auto [part, array] : llvm::zip(parts, kept.arrays))
    memref::StoreOp::create(builder, part, array, number);
}

Value SubgroupLooper::load(const Kept &kept, Value number, Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    Value place =
        arith::MulIOp::create(builder, number, constant(vector.getNumElements()));
    return vector::LoadOp::create(builder, vector, kept.arrays[0], place);
  }
  SmallVector<Value, 2> parts;
  for (Value array : kept.arrays)
    parts.push_back(memref::LoadOp::create(builder, array, number));
  if (isa<ComplexType>(type))
    return complex::CreateOp::create(builder, type, parts[0], parts[1]);
  if (int64_t step = kept.shape.step)
    return arith::AddIOp::create(builder, parts[0], createDistance(type, step));
  return parts[0];
}

Value SubgroupLooper::getIn(size_t phase, Value value) {
  Operation *op = value.getDefiningOp();
  Loop &loop = loops[phase];
  if (phases.isOutside(value) || (op && op->getParentOp() == loop.loop))
    return value;
  if (Value known = loop.known.lookup(value))
    return known;
  Value here;
  if (phases.isRecomputed(value)) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, getIn(phase, operand));
    builder.setInsertionPoint(loop.first);
    here = builder.clone(*op, mapping)->getResult(0);
  } else {
    const Kept &array = getKept(value);
    builder.setInsertionPoint(loop.first);
    here = load(array, loop.loop.getInductionVar(), value.getType());
  }
  return loop.known[value] = here;
}

void SubgroupLooper::replaceUses(Value value) {
  for (CrossingUse use : phases.getCrossingUses(value)) {
    if (use.phase) {
      use.operand->set(getIn(*use.phase, value));
      continue;
    }
    // All subgroups have the same.
    const Kept &array = getKept(value);
    builder.setInsertionPoint(use.operand->getOwner());
    use.operand->set(load(array, constant(0), value.getType()));
  }
}

/// Values that others load are stored at the end of their own phase.
void SubgroupLooper::storeResults(Phase &phase) {
  for (Operation *op : phase.ops)
    for (Value value : op->getResults()) {
      if (!kept.contains(value))
        continue;
      auto loop = cast<scf::ForOp>(op->getParentOp());
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      store(getKept(value), loop.getInductionVar(), value);
    }
}

/// Arguments and results of one variable are one array.
void SubgroupLooper::nameArrays() {
  for (const Variable &variable : phases.getVariables()) {
    if (phases.isOutside(variable.values.front()))
      continue;
    Kept array = getKept(variable.values.front());
    for (Value value : variable.values)
      kept[value] = array;
  }
}

void SubgroupLooper::storeSources(const Variable &variable) {
  if (phases.isOutside(variable.values.front()))
    return;
  for (OpOperand *source : variable.sources) {
    size_t phase = phases.getStoringPhase(*source);
    Value value = getIn(phase, source->get());
    scf::ForOp loop = loops[phase].loop;
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    store(getKept(variable.values.front()), loop.getInductionVar(), value);
  }
}

/// The array of all lanes has one part for each subgroup.
void SubgroupLooper::copyArray(memref::AllocaOp array) {
  MemRefType type = array.getType();
  int64_t size = type.getNumElements();
  Value all = createArray(array.getLoc(), type.getElementType(), size, isPrivate(type));
  for (OpOperand &use : llvm::make_early_inc_range(array->getUses())) {
    Operation *op = use.getOwner();
    builder.setInsertionPoint(op);
    Value start = arith::MulIOp::create(builder, getNumberAt(op), constant(size));
    OpOperand &index = op->getOpOperand(use.getOperandNumber() + 1);
    index.set(arith::AddIOp::create(builder, start, index.get()));
    use.set(all);
  }
  array.erase();
}

void SubgroupLooper::copyArrays(Phase &phase) {
  for (Operation *op : phase.ops)
    if (auto array = dyn_cast<memref::AllocaOp>(op))
      if (!phases.getCrossingUses(array).empty())
        copyArray(array);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void SubgroupLooper::createLoops() {
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Value zero = constant(0), one = constant(1), end = constant(count);
  for (Phase &phase : phases.getPhases()) {
    builder.setInsertionPoint(phase.end);
    auto loop = scf::ForOp::create(builder, zero, end, one);
    Operation *terminator = loop.getBody()->getTerminator();
    for (Operation *op : phase.ops)
      op->moveBefore(terminator);
    Loop &made = loops.emplace_back();
    made.loop = loop;
    made.first = &loop.getBody()->front();
    subgroupLoops.insert(loop);
  }
}

Value SubgroupLooper::getNumberAt(Operation *op) {
  while (!subgroupLoops.contains(op))
    op = op->getParentOp();
  return cast<scf::ForOp>(op).getInductionVar();
}

llvm::BitVector SubgroupLooper::findDropped(ValueRange values) const {
  llvm::BitVector dropped;
  for (Value value : values)
    dropped.push_back(!phases.isOutside(value));
  return dropped;
}

static SmallVector<Value> getOthers(ValueRange values, const llvm::BitVector &dropped) {
  SmallVector<Value> others;
  for (auto [i, value] : llvm::enumerate(values))
    if (!dropped[i])
      others.push_back(value);
  return others;
}

static void replace(Operation *op, Operation *other, const llvm::BitVector &dropped) {
  other->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [old, now] :
       llvm::zip(getOthers(op->getResults(), dropped), other->getResults()))
    old.replaceAllUsesWith(now);
  op->erase();
}

void SubgroupLooper::dropVariables(scf::ForOp op) {
  llvm::BitVector dropped = findDropped(op.getRegionIterArgs());
  builder.setInsertionPoint(op);
  auto loop = scf::ForOp::create(builder, op.getLowerBound(), op.getUpperBound(),
                                 op.getStep(), getOthers(op.getInitArgs(), dropped));
  loop.getRegion().takeBody(op.getRegion());
  loop.getBody()->getTerminator()->eraseOperands(dropped);
  loop.getBody()->eraseArguments([&](BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    return number > 0 && dropped[number - 1];
  });
  replace(op, loop, dropped);
}

void SubgroupLooper::dropVariables(scf::IfOp op) {
  llvm::BitVector dropped = findDropped(op.getResults());
  SmallVector<Value> results = getOthers(op.getResults(), dropped);
  builder.setInsertionPoint(op);
  auto branch =
      scf::IfOp::create(builder, ValueRange(results).getTypes(), op.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (unsigned i : {0, 1}) {
    branch->getRegion(i).takeBody(op->getRegion(i));
    for (Block &block : branch->getRegion(i))
      block.getTerminator()->eraseOperands(dropped);
  }
  replace(op, branch, dropped);
}

void SubgroupLooper::eraseBarriers() {
  for (Phase &phase : phases.getPhases())
    if (isa<gpu::BarrierOp>(phase.end))
      phase.end->erase();
  for (Loop &loop : loops)
    if (llvm::hasSingleElement(*loop.loop.getBody()))
      loop.loop.erase();
}

void SubgroupLooper::replaceIds() {
  int64_t perRow = group.width / group.subgroupSize;
  int64_t sizes[] = {group.width, group.height, 1};
  auto getThread = [&](gpu::ThreadIdOp id) -> Value {
    if (id.getDimension() == gpu::Dimension::z || phases.isOutside(id))
      return constant(0);
    Value number = getNumberAt(id), row = constant(perRow);
    if (id.getDimension() == gpu::Dimension::y)
      return arith::DivUIOp::create(builder, number, row);
    if (group.height > 1)
      number = arith::RemUIOp::create(builder, number, row);
    Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    Value first = arith::MulIOp::create(builder, number, constant(group.subgroupSize));
    return arith::AddIOp::create(builder, first, lane);
  };
  kernel.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    Value value = llvm::TypeSwitch<Operation *, Value>(op)
                      .Case([&](gpu::SubgroupIdOp) { return getNumberAt(op); })
                      .Case([&](gpu::ThreadIdOp id) { return getThread(id); })
                      .Case([&](gpu::NumSubgroupsOp) { return constant(count); })
                      .Case([&](gpu::BlockDimOp size) {
                        return constant(sizes[unsigned(size.getDimension())]);
                      })
                      .Default(Value());
    if (!value)
      return;
    op->replaceAllUsesWith(ValueRange(value));
    op->erase();
  });
}

void SubgroupLooper::run() {
  createLoops();
  nameArrays();
  for (Phase &phase : phases.getPhases())
    for (Operation *op : phase.ops)
      if (!isa<memref::AllocaOp>(op))
        for (Value value : op->getResults())
          replaceUses(value);
  for (const Variable &variable : phases.getVariables())
    if (!phases.isOutside(variable.values.front()))
      for (Value value : variable.values)
        replaceUses(value);
  for (const Variable &variable : phases.getVariables())
    storeSources(variable);
  for (Phase &phase : phases.getPhases()) {
    storeResults(phase);
    copyArrays(phase);
  }
  replaceIds();
  eraseBarriers();
  for (Operation *op : phases.getSplitOps())
    llvm::TypeSwitch<Operation *>(op).Case<scf::ForOp, scf::IfOp>(
        [&](auto nested) { dropVariables(nested); });
  kernel.setKnownBlockSize(
      ArrayRef<int32_t>{static_cast<int32_t>(group.subgroupSize), 1, 1});
}

namespace {
struct LoopOverSubgroups final
    : tinytc::impl::LoopOverSubgroupsPassBase<LoopOverSubgroups> {
  using LoopOverSubgroupsPassBase::LoopOverSubgroupsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      FailureOr<KernelWorkGroup> group = KernelWorkGroup::get(kernel);
      if (failed(group))
        return signalPassFailure();
      if (!kernel.getBody().hasOneBlock() || group->isOneSubgroup() ||
          group->width % group->subgroupSize != 0)
        return;
      Phases phases(kernel, *group);
      if (phases.areKnown())
        SubgroupLooper(kernel, *group, phases).run();
    });
  }
};
} // namespace
