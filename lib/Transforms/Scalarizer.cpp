//===- Scalarizer.cpp - Memory and control flow of numbers ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Transforms/Scalarizer.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Operations and iterations that are worth writing: LLVM takes seconds for more.
static constexpr int64_t kMostSteps = 5000;

Scalarizer::Scalarizer(FuncOp func, bool fuses)
    : func(func), fuses(fuses),
      b(func.getLoc(), func.getBody().front().getTerminator()) {
  for (Operation &op : func.getBody().front().without_terminator())
    instructions.push_back(&op);
}

iterator_range<Block::iterator> Scalarizer::getWritten() {
  Block &block = func.getBody().front();
  auto begin = instructions.empty() ? block.begin()
                                    : std::next(instructions.back()->getIterator());
  return {begin, std::prev(block.end())};
}

void Scalarizer::replace() {
  for (Operation *op : llvm::reverse(instructions))
    op->erase();
}

void Scalarizer::discard() {
  SmallVector<Operation *> written =
      llvm::map_to_vector(getWritten(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(written))
    op->erase();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Strides that are not known, by the mode of the parameter.
static constexpr int64_t kUnknownStrides = std::numeric_limits<int64_t>::min() / 2;

static bool isUnknown(int64_t stride) { return stride <= kUnknownStrides; }

unsigned Scalarizer::findMemory(Value root, ArrayRef<Place> places) {
  for (auto [number, memory] : llvm::enumerate(memories))
    if (memory.root == root && ArrayRef(memory.places) == places)
      return number;
  memories.push_back({root, SmallVector<Place>(places), false, {}});
  return memories.size() - 1;
}

FailureOr<Scalarizer::View> Scalarizer::enter(View view,
                                              ArrayRef<OpFoldResult> offsets) {
  SmallVector<Place> places = memories[view.memory].places;
  for (auto [offset, stride] : llvm::zip_equal(offsets, view.strides)) {
    std::optional<int64_t> known = getConstantIntValue(offset);
    if (!known)
      places.push_back({cast<Value>(offset), stride});
    else if (*known != 0 && isUnknown(stride))
      return failure();
    else if (*known != 0)
      view.offset += *known * stride;
  }
  if (places.size() > memories[view.memory].places.size()) {
    if (isLocal(view))
      return failure();
    view.memory = findMemory(memories[view.memory].root, places);
  }
  return view;
}

/// An element of local memory that nothing has written may be any number.
Value Scalarizer::get(const View &view, ArrayRef<int64_t> at) {
  int64_t offset = view.offset;
  for (auto [index, stride] : llvm::zip_equal(at, view.strides))
    offset += index == 0 ? 0 : index * stride;
  auto known = memories[view.memory].elements.find(offset);
  if (known != memories[view.memory].elements.end())
    return known->second.number;
  if (isLocal(view))
    return constant(instructions::getElementType(memories[view.memory].root), 0);
  storeAll(view.memory);
  SmallVector<Value> places =
      llvm::map_to_vector(at, [&](int64_t number) { return index(number); });
  Value number =
      LoadOp::create(b, instructions::getElementType(view.memref), view.memref, places);
  memories[view.memory].elements[offset] = {number, {}, {}};
  ++numSteps;
  return number;
}

void Scalarizer::put(const View &view, ArrayRef<int64_t> at, Value number) {
  int64_t offset = view.offset;
  for (auto [index, stride] : llvm::zip_equal(at, view.strides))
    offset += index == 0 ? 0 : index * stride;
  if (!isLocal(view)) {
    storeAll(view.memory);
    for (auto [other, memory] : llvm::enumerate(memories))
      if (other != view.memory &&
          !isa_and_nonnull<AllocaOp>(memory.root.getDefiningOp()))
        memory.elements.clear();
  }
  memories[view.memory].isWritten = true;
  memories[view.memory].elements[offset] = {number, view.memref,
                                            SmallVector<int64_t>(at)};
  ++numSteps;
}

void Scalarizer::storeAll(unsigned except) {
  for (auto [number, memory] : llvm::enumerate(memories)) {
    if (number == except)
      continue;
    for (auto &[offset, element] : memory.elements) {
      if (!element.memref)
        continue;
      SmallVector<Value> places = llvm::map_to_vector(
          element.indices, [&](int64_t number) { return index(number); });
      StoreOp::create(b, StoreFlag::Regular, element.number, element.memref, places);
      element.memref = Value();
    }
  }
}

/// The memory of a memref of known sizes, which are not 0, and strides; null for
/// others.
const Scalarizer::View *Scalarizer::findView(Value memref) const {
  auto found = views.find(memref);
  if (found == views.end())
    return nullptr;
  const View &view = found->second;
  for (auto [size, stride] : llvm::zip_equal(view.shape, view.strides))
    if (size == 0 || ShapedType::isDynamic(size) || (size > 1 && isUnknown(stride)))
      return nullptr;
  return &view;
}

/// Adds the result of a view, and the same view in the new code.
LogicalResult Scalarizer::addView(Operation *op) {
  auto found = views.find(op->getOperand(0));
  if (found == views.end())
    return failure();
  View view = found->second;
  auto type = cast<MemrefType>(op->getResult(0).getType());
  if (auto subview = dyn_cast<SubviewOp>(op)) {
    Builder builder(op->getContext());
    auto offsets =
        getMixedValues(subview.getStaticOffsets(), subview.getOffsets(), builder);
    for (OpFoldResult &offset : offsets)
      if (auto value = dyn_cast<Value>(offset)) {
        std::optional<int64_t> known = getConstant(value);
        offset = known ? OpFoldResult(builder.getIndexAttr(*known))
                       : OpFoldResult(mapping.lookup(value));
      }
    FailureOr<View> entered = enter(view, offsets);
    if (failed(entered))
      return failure();
    view = *entered;
    SmallVector<int64_t> strides;
    for (auto [mode, stride] : llvm::enumerate(view.strides))
      if (!subview.isRemoved(mode))
        strides.push_back(stride);
    view.strides = std::move(strides);
  } else if (auto expand = dyn_cast<ExpandOp>(op)) {
    int64_t mode = expand.getMode(), stride = view.strides[mode];
    SmallVector<int64_t> added;
    for (int64_t size : expand.getStaticShape()) {
      added.push_back(stride);
      if (ShapedType::isDynamic(size) || isUnknown(stride))
        return failure();
      stride *= size;
    }
    auto place = view.strides.begin() + mode;
    view.strides.insert(view.strides.erase(place), added.begin(), added.end());
  } else if (auto fuse = dyn_cast<FuseOp>(op)) {
    view.strides.erase(view.strides.begin() + fuse.getFrom() + 1,
                       view.strides.begin() + fuse.getTo() + 1);
  } else {
    return failure();
  }
  view.shape = llvm::to_vector(type.getShape());
  if (!isLocal(view)) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        return failure();
    view.memref = b.clone(*op, mapping)->getResult(0);
  }
  views[op->getResult(0)] = std::move(view);
  return success();
}

/// Whether a value is the number of the group, or the same for all groups.
static bool isGroupId(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getA();
  auto id = value.getDefiningOp<GroupIdOp>();
  return id && id.getDimension() == Dimension::X;
}
static bool isShared(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getA();
  return isa<BlockArgument>(value) ||
         (value.getDefiningOp<GroupIdOp>() && !isGroupId(value));
}

bool Scalarizer::fitsLanes() const {
  bool areLanes = false;
  for (const Memory &memory : memories) {
    if (isa_and_nonnull<AllocaOp>(memory.root.getDefiningOp()))
      continue;
    int64_t ids = llvm::count_if(
        memory.places, [](const Place &each) { return isGroupId(each.index); });
    bool isKnown = llvm::all_of(memory.places, [](const Place &each) {
      return isGroupId(each.index) || isShared(each.index);
    });
    // The first group of a vector and the distance to the next one.
    isKnown &= memory.places.size() <= 1 ||
               llvm::none_of(memory.places,
                             [](const Place &each) { return isUnknown(each.stride); });
    if (!isKnown || (memory.isWritten && ids == 0) || ids > 1)
      return false;
    areLanes |= ids == 1;
  }
  return areLanes;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The types of what lanes compute (lib/Conversion/GPUToVector/GroupsAsLanes.cpp).
static bool isNumberOfLane(Type type) {
  return type.isIndex() || type.isInteger(1) || type.isInteger(32) ||
         type.isInteger(64) || type.isF32() || type.isF64();
}

std::optional<int64_t> Scalarizer::getConstant(Value value) const {
  Value written = mapping.lookupOrNull(value);
  return written ? getConstantIntValue(written) : std::nullopt;
}

/// Constants are at the start of the new code.
Value Scalarizer::index(int64_t number) {
  Value &known = indices[number];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    if (!instructions.empty())
      b.setInsertionPointAfter(instructions.back());
    known = instructions::createIndex(b, number);
  }
  return known;
}

Value Scalarizer::constant(Type type, double number) {
  Attribute key = isa<FloatType>(type)
                      ? Attribute(FloatAttr::get(type, number))
                      : Attribute(IntegerAttr::get(type, int64_t(number)));
  Value &known = numbers[key];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    if (!instructions.empty())
      b.setInsertionPointAfter(instructions.back());
    known = instructions::createNumber(b, type, number);
  }
  return known;
}

/// The numbers and sizes of groups are the same wherever a kernel asks for them.
LogicalResult Scalarizer::clone(Operation *op) {
  auto areNumbers = [](TypeRange types) { return llvm::all_of(types, isNumberOfLane); };
  bool isKnown = isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                 !op->hasTrait<Spmd>() && !isa<NumSubgroupsOp, SubgroupSizeOp>(op) &&
                 areNumbers(op->getResultTypes());
  if (isa<SizeOp>(op)) {
    if (!mapping.contains(op->getOperand(0)))
      return failure();
  } else {
    isKnown &= areNumbers(op->getOperandTypes());
  }
  if (!isKnown)
    return failure();
  if (isa<GroupIdOp, GroupSizeOp>(op))
    for (Operation &other : getWritten())
      if (OperationEquivalence::isEquivalentTo(op, &other,
                                               OperationEquivalence::IgnoreLocations)) {
        mapping.map(op->getResult(0), other.getResult(0));
        return success();
      }
  Operation *written = b.clone(*op, mapping);
  SmallVector<Value> folded;
  if (!isa<ConstantOp>(written) && succeeded(b.tryFold(written, folded)) &&
      !folded.empty()) { // it is empty if the operation is folded in place
    written->erase();
    mapping.map(op->getResults(), folded);
    return success();
  }
  ++numSteps;
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Scalarizer::write() {
  for (BlockArgument argument : func.getArguments()) {
    if (func.getArgAttr(argument.getArgNumber(), "tinytc.nonzero"))
      return failure();
    mapping.map(argument, argument);
    auto type = dyn_cast<MemrefType>(argument.getType());
    if (!type)
      continue;
    SmallVector<int64_t> strides = llvm::to_vector(type.getStride());
    for (auto [mode, stride] : llvm::enumerate(strides))
      if (ShapedType::isDynamic(stride))
        stride = kUnknownStrides - int64_t(mode);
    views[argument] = {argument, findMemory(argument, {}), 0,
                       llvm::to_vector(type.getShape()), strides};
  }
  for (Operation *op : instructions)
    if (failed(write(op)))
      return failure();
  storeAll(memories.size());
  return success();
}

LogicalResult Scalarizer::write(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(write(&op)))
      return failure();
  return success();
}

LogicalResult Scalarizer::write(Operation *op) {
  if (++numSteps > kMostSteps)
    return failure();
  b.setLoc(op->getLoc());
  using Result = LogicalResult;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](AllocaOp alloca) -> Result {
        if (alloca.getNonzero())
          return failure();
        MemrefType type = alloca.getResult().getType();
        Value root = alloca.getResult();
        unsigned memory = findMemory(root, {});
        memories[memory].elements.clear();
        views[root] = {Value(), memory, 0, llvm::to_vector(type.getShape()),
                       llvm::to_vector(type.getStride())};
        return success();
      })
      .Case<BarrierOp, LifetimeStopOp>([](auto) { return success(); })
      .Case<SubviewOp, ExpandOp, FuseOp>([&](auto) { return addView(op); })
      .Case<LoadOp, StoreOp>([&](auto) { return writeAccess(op); })
      .Case([&](ForOp loop) { return writeFor(loop); })
      .Case([&](ForeachOp loop) { return writeForeach(loop); })
      .Case([&](IfOp branch) { return writeIf(branch); })
      .Case([&](BlasOpInterface blas) { return writeBlas(blas); })
      .Case([&](CholeskyOp cholesky) { return writeCholesky(cholesky); })
      .Case([&](LuOp lu) { return writeLu(lu); })
      .Case([&](TrsmOp trsm) { return writeTrsm(trsm); })
      .Case([&](TrmmOp trmm) { return writeTrmm(trmm); })
      .Case([&](SyrkOp syrk) { return writeSyrk(syrk); })
      .Case([&](SwapRowsOp swap) { return writeSwapRows(swap); })
      .Case<SolveSpdOp, SolveLuOp>([&](auto solve) { return writeSolve(solve); })
      .Default([&](Operation *other) { return clone(other); });
}

LogicalResult Scalarizer::writeAccess(Operation *op) {
  auto store = dyn_cast<StoreOp>(op);
  Value memref = op->getOperand(store ? 1 : 0);
  auto found = views.find(memref);
  if (found == views.end() || (store && store.getFlag() != StoreFlag::Regular))
    return failure();
  if (!isNumberOfLane(instructions::getElementType(memref)))
    return failure();
  View view = found->second;
  OperandRange places = store ? store.getIndices() : cast<LoadOp>(op).getIndices();
  SmallVector<OpFoldResult> offsets;
  bool isConstant = true;
  Builder builder(op->getContext());
  for (Value place : places) {
    std::optional<int64_t> known = getConstant(place);
    isConstant &= known.has_value();
    offsets.push_back(known ? OpFoldResult(builder.getIndexAttr(*known))
                            : OpFoldResult(mapping.lookup(place)));
  }
  FailureOr<View> entered = enter(view, offsets);
  if (failed(entered))
    return failure();
  if (!isConstant) {
    // A view of one element, which other accesses find, too.
    SmallVector<OpFoldResult> sizes(offsets.size(), builder.getIndexAttr(0));
    entered->memref = instructions::createBlock(b, view.memref, offsets, sizes);
  } else if (!isLocal(view)) {
    entered->memref = view.memref;
  }
  SmallVector<int64_t> at;
  if (isConstant) {
    entered = view;
    for (OpFoldResult offset : offsets)
      at.push_back(*getConstantIntValue(offset));
    for (auto [index, stride] : llvm::zip_equal(at, view.strides))
      if (index != 0 && isUnknown(stride))
        return failure();
  } else {
    entered->strides.clear();
    entered->shape.clear();
  }
  if (store)
    put(*entered, at, mapping.lookup(store.getValue()));
  else
    mapping.map(op->getResult(0), get(*entered, at));
  return success();
}

LogicalResult Scalarizer::writeFor(ForOp op) {
  std::optional<int64_t> from = getConstant(op.getFrom()), to = getConstant(op.getTo()),
                         step = op.getStep() ? getConstant(op.getStep()) : 1;
  if (!from || !to || !step || *step <= 0)
    return failure();
  Block &block = op.getBody().front();
  SmallVector<Value> carried;
  for (Value init : op.getInits()) {
    Value written = mapping.lookupOrNull(init);
    if (!written)
      return failure();
    carried.push_back(written);
  }
  for (int64_t n = *from; n < *to; n += *step) {
    mapping.map(op.getInductionVar(), constant(op.getFrom().getType(), n));
    mapping.map(block.getArguments().drop_front(), carried);
    if (++numSteps > kMostSteps || failed(write(block)))
      return failure();
    for (auto [value, yielded] :
         llvm::zip_equal(carried, block.getTerminator()->getOperands()))
      value = mapping.lookup(yielded);
  }
  mapping.map(op.getResults(), carried);
  return success();
}

LogicalResult Scalarizer::writeForeach(ForeachOp op) {
  SmallVector<int64_t> from, to;
  for (auto [first, end] : llvm::zip_equal(op.getFrom(), op.getTo())) {
    std::optional<int64_t> low = getConstant(first), high = getConstant(end);
    if (!low || !high)
      return failure();
    if (*low >= *high)
      return success();
    from.push_back(*low);
    to.push_back(*high);
  }
  Block &block = op.getBody().front();
  SmallVector<int64_t> at = from;
  while (true) {
    for (auto [argument, number] : llvm::zip_equal(block.getArguments(), at))
      mapping.map(argument, constant(argument.getType(), number));
    if (++numSteps > kMostSteps || failed(write(block)))
      return failure();
    size_t mode = 0;
    for (; mode < at.size() && ++at[mode] == to[mode]; ++mode)
      at[mode] = from[mode];
    if (mode == at.size())
      return success();
  }
}

LogicalResult Scalarizer::writeIf(IfOp op) {
  std::optional<int64_t> condition = getConstant(op.getCondition());
  if (!condition)
    return failure();
  Region &region = *condition ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  if (failed(write(region.front())))
    return failure();
  for (auto [result, yielded] :
       llvm::zip_equal(op.getResults(), region.front().getTerminator()->getOperands()))
    mapping.map(result, mapping.lookup(yielded));
  return success();
}
