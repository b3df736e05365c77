//===- GroupBounds.cpp - How many groups fit the arrays -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/GroupBounds.h"
#include "lib/Analysis/BatchUses.h"
#include "lib/Analysis/BoundCollector.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/OutermostAccess.h"
#include "lib/Analysis/ProductModes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

static constexpr StringRef kSizeReason =
    "an instruction requires a size of it that differs between groups or iterations";
static constexpr StringRef kViewReason =
    "it may be accessed through a view that the compiler does not follow";

namespace {

/// The indices that an access takes of one mode.
struct IndexRange {
  LaunchInteger first, last;
};

/// Walks a kernel in the order of execution.
class BoundsFinder {
public:
  explicit BoundsFinder(FuncOp func)
      : func(func), views(integers), collected(integers, func.getNumArguments()) {
    for (BlockArgument parameter : func.getArguments()) {
      integers.addParameter(parameter);
      views.addParameter(parameter);
      isOptional.push_back(isOptionalParameter(parameter));
    }
    visit(func.getBody());
  }

  GroupBounds take();

private:
  void visit(Region &region);
  void visit(Operation &op);
  void visitLoop(Operation *op, ValueRange variables, ValueRange from, ValueRange to,
                 ArrayRef<std::optional<int64_t>> steps);
  void visitBranch(IfOp op);

  void addAccesses(Operation *op);
  void addEqualSizes(BlasOpInterface op);
  void addEqualSizes(EqualSizes sizes, const Facts &made);
  void addElement(Value source, ValueRange indices);
  void addBlock(Value memref, CoopMatrixType matrix, bool isTransposed, Checked checked,
                ValueRange indices);
  void addWhole(Value memref);
  void addAccess(const ParameterView &view, ArrayRef<IndexRange> ranges, Facts made,
                 ArrayRef<BlockAccess> blocks = {});
  std::optional<BlockReach> getReach(const ParameterView &view,
                                     ArrayRef<IndexRange> ranges);
  Polynomial getSize(const Coordinate &coordinate, const Facts &made) const;
  void addUnknownView(Value memref);

  FuncOp func;
  LaunchIntegers integers;
  ParameterViews views;
  /// Of each parameter.
  std::vector<bool> isOptional;
  /// The facts from the branches and loops around the instruction.
  std::vector<Facts> scopes;
  /// The instruction that is looked at.
  Operation *current = nullptr;
  BoundCollector collected;
  std::vector<EqualSizes> equalSizes;
  std::array<bool, kNumDimensions> usesDimension{};
};

} // namespace

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void BoundsFinder::visitLoop(Operation *op, ValueRange variables, ValueRange from,
                             ValueRange to, ArrayRef<std::optional<int64_t>> steps) {
  size_t outside = scopes.size();
  for (auto [value, low, high, step] : llvm::zip_equal(variables, from, to, steps)) {
    Polynomial first = integers.get(low).value, end = integers.get(high).value;
    integers.addLoopVariable(value, low, high, step);
    Facts facts;
    if (integers.isExact(first) && integers.isExact(end)) // there is an iteration if
      facts = {{end - first - 1}, true};
    scopes.push_back(std::move(facts));
  }
  for (Region &region : op->getRegions())
    visit(region);
  scopes.resize(outside);
}

void BoundsFinder::visitBranch(IfOp op) {
  LaunchBoolean condition = integers.getBoolean(op.getCondition());
  scopes.push_back(condition.ifTrue);
  visit(op.getThenRegion());
  scopes.back() = condition.ifFalse;
  visit(op.getElseRegion());
  scopes.pop_back();
}

void BoundsFinder::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(op);
}

void BoundsFinder::visit(Operation &op) {
  TypeSwitch<Operation *>(&op)
      .Case([&](IfOp branch) { visitBranch(branch); })
      .Case([&](ForOp loop) {
        std::optional<int64_t> step = 1;
        if (loop.getStep())
          step = integers.get(loop.getStep()).value.getConstant();
        visitLoop(loop, loop.getInductionVar(), loop.getFrom(), loop.getTo(), step);
      })
      .Case([&](ForeachOp loop) {
        SmallVector<std::optional<int64_t>> steps(loop.getFrom().size(), 1);
        visitLoop(loop, loop.getBody().getArguments(), loop.getFrom(), loop.getTo(),
                  steps);
      })
      .Case([&](ForeachTileOp loop) {
        for (auto [extent, size] : llvm::zip_equal(loop.getExtents(), loop.getSizes()))
          integers.addExtent(extent, size);
        SmallVector<std::optional<int64_t>> steps(loop.getSizes());
        visitLoop(loop, loop.getStarts(), loop.getFrom(), loop.getTo(), steps);
      })
      .Case<GroupIdOp, GroupSizeOp>(
          [&](auto number) { usesDimension[unsigned(number.getDimension())] = true; })
      .Default([&](Operation *other) {
        addAccesses(other);
        for (Region &region : other->getRegions())
          visit(region);
      });
  views.addResult(&op);
  integers.addResult(&op);
  if (auto size = dyn_cast<SizeOp>(op))
    integers.set(size, views.getSize(size));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The memrefs and groups that an instruction accesses, as far as it says so; else all
/// of its operands.
static llvm::SmallSetVector<Value, 4> getAccessed(Operation *op) {
  llvm::SmallSetVector<Value, 4> operands, accessed;
  for (Value operand : op->getOperands())
    if (isa<MemrefType, GroupType>(operand.getType()))
      operands.insert(operand);
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp)
    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ? accessed : operands;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
      continue;
    if (Value value = effect.getValue())
      accessed.insert(value);
    else if (isa<SideEffects::DefaultResource>(effect.getResource()))
      return operands;
  }
  return accessed;
}

void BoundsFinder::addAccesses(Operation *op) {
  current = op;
  if (auto load = dyn_cast<LoadOp>(op))
    return addElement(load.getSource(), load.getIndices());
  if (auto store = dyn_cast<StoreOp>(op))
    return addElement(store.getDest(), store.getIndices());
  if (auto load = dyn_cast<CooperativeMatrixLoadOp>(op))
    return addBlock(load.getSource(), load.getType(),
                    load.getTranspose() == Transpose::T, load.getChecked(),
                    {load.getX(), load.getY()});
  if (auto store = dyn_cast<CooperativeMatrixStoreOp>(op))
    return addBlock(store.getDest(), store.getMatrix().getType(),
                    store.getTranspose() == Transpose::T, store.getChecked(),
                    {store.getX(), store.getY()});
  if (auto atomic = dyn_cast<AtomicOpInterface>(op)) {
    if (CoopMatrixType matrix = atomic.getAccessedMatrix())
      return addBlock(atomic.getAccessedMemref(), matrix, atomic.isTransposed(),
                      atomic.getCheckedModes(), atomic.getAccessedIndices());
    return addElement(atomic.getAccessedMemref(), atomic.getAccessedIndices());
  }
  auto blas = dyn_cast<BlasOpInterface>(op);
  if (blas)
    addEqualSizes(blas);
  // That an instruction accesses all of a memref and no more, only these promise.
  bool isWhole = blas || op->hasTrait<FactorizationTrait>();
  for (Value memref : getAccessed(op))
    isWhole ? addWhole(memref) : addUnknownView(memref);
}

/// Adds which sizes an instruction requires to be equal.
void BoundsFinder::addEqualSizes(BlasOpInterface op) {
  Facts made{{}, true};
  for (const Facts &scope : scopes)
    made.append(scope);
  for (const auto &[own, reference] : getEqualModes(op)) {
    Value memref = own.operand->get();
    Polynomial size = views.getSize(memref, own.mode).value;
    Polynomial expected = views.getSize(reference.operand->get(), reference.mode).value;
    if (size.isKnown() && size == expected)
      continue;
    const ParameterView *view = views.find(memref);
    if (size.isOfLaunch() && expected.isOfLaunch())
      addEqualSizes({size, expected, op, {}, ""}, made);
    else if (view)
      collected.addUnchecked(view->coordinates[view->modes[own.mode].coordinate].modes,
                             kSizeReason);
    else
      addUnknownView(memref);
  }
}

/// Whether a condition holds for all groups if it holds for the first one.
static bool holdsFirst(const Polynomial &fact) {
  return llvm::all_of(llvm::seq(kNumDimensions), [&](unsigned dimension) {
    return (fact.split(getGroupId(dimension)).slope * -1).isNonNegative();
  });
}

/// Adds sizes that must be equal if an instruction is executed.
void BoundsFinder::addEqualSizes(EqualSizes sizes, const Facts &made) {
  OutermostAccesses outermost =
      getOutermost(integers, 0, made, /*isUpper=*/true, Polynomial::unknown());
  auto add = [&](const std::vector<Polynomial> &facts, bool isCertain) {
    EqualSizes entry = sizes;
    entry.reason = isCertain ? "" : BoundCollector::kConditionReason;
    for (const Polynomial &fact : facts) {
      if (!isCertain && !holdsFirst(fact))
        continue;
      Polynomial condition = getOfFirst(fact);
      if (!condition.isKnown() || condition.getConstant().value_or(0) < 0)
        return;
      if (!condition.isNonNegative())
        entry.conditions.push_back(condition);
    }
    bool isKnown = llvm::any_of(equalSizes, [&](const EqualSizes &known) {
      return known.size == entry.size && known.expected == entry.expected &&
             (known.reason.empty() || known.reason == entry.reason) &&
             llvm::all_of(known.conditions, [&](const Polynomial &each) {
               return llvm::is_contained(entry.conditions, each);
             });
    });
    if (!isKnown)
      equalSizes.push_back(entry);
  };
  bool isExact = outermost.isExact;
  for (const ConditionalAccess &access : outermost.certain) {
    add(access.facts, /*isCertain=*/true);
    isExact &= llvm::all_of(access.facts, holdsFirst);
  }
  if (!isExact)
    for (const ConditionalAccess &access : outermost.possible)
      add(access.facts, /*isCertain=*/false);
}

void BoundsFinder::addElement(Value source, ValueRange indices) {
  std::vector<IndexRange> ranges;
  for (Value index : indices)
    ranges.push_back({integers.get(index), integers.get(index)});
  if (std::optional<ParameterView> members = views.getMembers(source))
    addAccess(*members, ranges, {{}, true});
  else if (const ParameterView *view = views.find(source))
    addAccess(*view, ranges, {{}, true});
  else
    addUnknownView(source);
}

/// The modifier that checks a mode of the memref in addition to others.
static StringRef getCheckedWord(unsigned mode, bool isTransposed, Checked checked) {
  if (checked != Checked::None)
    return stringifyChecked(Checked::Both);
  return stringifyChecked((mode == 0) != isTransposed ? Checked::Rows : Checked::Cols);
}

void BoundsFinder::addBlock(Value memref, CoopMatrixType matrix, bool isTransposed,
                            Checked checked, ValueRange indices) {
  const ParameterView *view = views.find(memref);
  if (!view)
    return addUnknownView(memref);
  int64_t shape[] = {matrix.getRows(), matrix.getColumns()};
  bool checkedModes[] = {isChecked(checked, 0), isChecked(checked, 1)};
  if (isTransposed) {
    std::swap(shape[0], shape[1]);
    std::swap(checkedModes[0], checkedModes[1]);
  }
  // Local memory is not an array of the caller: loads that leave it are no error.
  bool isLoad = isa<CooperativeMatrixLoadOp>(current);
  bool isLocalLoad = isLoad && getRoot(memref).getDefiningOp<AllocaOp>();
  Facts certainFacts{{}, !isLocalLoad}, possibleFacts;
  std::vector<IndexRange> certain, possible;
  std::vector<BlockAccess> blocks;
  for (auto [mode, index] : llvm::enumerate(indices)) {
    LaunchInteger first = integers.get(index), last = first;
    last.value = last.value + (shape[mode] - 1);
    blocks.push_back({current, getCheckedWord(mode, isTransposed, checked), {}});
    if (!checkedModes[mode]) {
      certain.push_back({first, last});
      possible.push_back({first, last});
      continue;
    }
    // The first row or column is accessed if it is within the matrix, and some are if
    // any is.
    LaunchInteger end = view->modes[mode].size;
    end.value = end.value - 1;
    Polynomial distance = end.value - first.value;
    certainFacts.append({{first.value, distance}, true});
    possibleFacts.append({{last.value, distance}, true});
    certain.push_back({first, first});
    possible.push_back({LaunchInteger::constant(0), end});
  }
  if (isLoad)
    for (BlockAccess &block : blocks)
      block.reach = getReach(*view, possible);
  addAccess(*view, certain, certainFacts, blocks);
  if (checked != Checked::None)
    addAccess(*view, possible, possibleFacts, blocks);
}

void BoundsFinder::addWhole(Value memref) {
  const ParameterView *view = views.find(memref);
  if (!view)
    return addUnknownView(memref);
  std::vector<IndexRange> ranges;
  Facts made{{}, true};
  for (const ViewMode &mode : view->modes) {
    LaunchInteger last = mode.size;
    last.value = last.value - 1;
    made.append({{last.value}, true}); // there is an element
    ranges.push_back({LaunchInteger::constant(0), last});
  }
  addAccess(*view, ranges, made);
}

/// The number of places of a coordinate: none if a launch passes no memory.
Polynomial BoundsFinder::getSize(const Coordinate &coordinate,
                                 const Facts &made) const {
  unsigned number = coordinate.modes.parameter;
  Value root = views.getRoots()[number];
  bool isMember = isa<GroupType>(root.getType()) && coordinate.modes.count != 0;
  Polynomial isThere(Variable{Variable::Kind::Associated, number});
  if (!isa<BlockArgument>(root) || isMember ||
      llvm::is_contained(made.list, isThere - 1) || !isOptional[number])
    return coordinate.size;
  return coordinate.size * isThere;
}

/// Where in the coordinates of a view an access is.
static std::vector<IndexRange> getPlaces(const ParameterView &view,
                                         ArrayRef<IndexRange> ranges) {
  std::vector<IndexRange> places;
  for (const Coordinate &coordinate : view.coordinates)
    places.push_back({coordinate.begin, coordinate.begin});
  for (auto [mode, range] : llvm::zip_equal(view.modes, ranges)) {
    IndexRange &place = places[mode.coordinate];
    place.first = place.first + mode.stride * range.first;
    place.last = place.last + mode.stride * range.last;
  }
  return places;
}

/// Adds an access that is made if the facts hold.
void BoundsFinder::addAccess(const ParameterView &view, ArrayRef<IndexRange> ranges,
                             Facts made, ArrayRef<BlockAccess> blocks) {
  for (const Facts &scope : scopes)
    made.append(scope);
  // Those that are not known say nothing.
  made.areAll &= llvm::all_of(made.list, [](auto &fact) { return fact.isKnown(); });
  llvm::erase_if(made.list, [](auto &fact) { return !fact.isKnown(); });
  if (llvm::any_of(made.list,
                   [](auto &fact) { return fact.getConstant().value_or(0) < 0; }))
    return; // never made
  std::vector<IndexRange> places = getPlaces(view, ranges);
  std::vector<std::optional<BlockAccess>> blockOf(view.coordinates.size());
  for (auto [mode, block] : llvm::zip(view.modes, blocks))
    blockOf[mode.coordinate] = block;
  for (auto [number, coordinate] : llvm::enumerate(view.coordinates)) {
    AccessedEnd end{coordinate.modes, getSize(coordinate, made), false, blockOf[number],
                    current};
    collected.addIndex(end, places[number].first, made);
    end.isUpper = true;
    collected.addIndex(end, places[number].last, made);
  }
}

/// How far a load of a block reaches into the memory of a parameter; nothing if that is
/// not known.
std::optional<BlockReach> BoundsFinder::getReach(const ParameterView &view,
                                                 ArrayRef<IndexRange> ranges) {
  Value root = views.getRoots()[view.coordinates.front().modes.parameter];
  if (!isa<BlockArgument>(root) || !isa<MemrefType>(root.getType()))
    return std::nullopt;
  BlockReach reach{0, 0};
  std::vector<IndexRange> places = getPlaces(view, ranges);
  for (auto [coordinate, range] : llvm::zip_equal(view.coordinates, places)) {
    Polynomial stride = views.getStride(coordinate.modes);
    reach.first = reach.first + stride * range.first.value;
    reach.last = reach.last + stride * range.last.value;
  }
  for (bool isLast : {false, true}) {
    Polynomial &place = isLast ? reach.last : reach.first;
    OutermostAccesses outermost =
        getOutermost(integers, place, Facts(), isLast, Polynomial::unknown());
    if (outermost.possible.size() != 1)
      return std::nullopt;
    place = outermost.possible.front().index;
    for (unsigned dimension = 0; dimension < kNumDimensions; ++dimension) {
      Polynomial::Line line = place.split(getGroupId(dimension));
      if (!line.isKnown() || mentionsGroup(line.slope))
        return std::nullopt;
    }
  }
  return reach;
}

/// Adds an access through a memref without a view.
void BoundsFinder::addUnknownView(Value memref) {
  if (isa_and_nonnull<AllocaOp, ConstantOp>(getRoot(memref).getDefiningOp()) &&
      views.find(getRoot(memref))) {
    collected.addUnchecked({unsigned(llvm::find(views.getRoots(), getRoot(memref)) -
                                     views.getRoots().begin())},
                           kViewReason);
    return;
  }
  for (BlockArgument parameter : func.getArguments()) {
    if (!isa<MemrefType, GroupType>(parameter.getType()))
      continue;
    IndexedModes modes{parameter.getArgNumber()};
    collected.addUnknownView(modes, current);
    collected.addUnchecked(modes, kViewReason);
  }
}

/// The size of a mode, or the number of members.
static Variable getSizeVariable(IndexedModes modes) {
  if (modes.count == 0)
    return {Variable::Kind::Members, modes.parameter};
  return {Variable::Kind::Size, modes.parameter, modes.first};
}

GroupBounds BoundsFinder::take() {
  GroupBounds result;
  result.roots = views.getRoots().vec();
  result.quotients = integers.getQuotients().vec();
  collected.addTo(result);
  std::vector<Variable> batchSizes;
  for (const GroupAccess &access : result.accesses)
    if (access.index == GroupIndex::Id)
      batchSizes.push_back(getSizeVariable(access.modes));
  result.launchDependent = getLaunchDependent(func, integers, batchSizes);
  result.usesDimension = usesDimension;
  result.equalSizes = equalSizes;
  return result;
}

GroupBounds tinytc::getGroupBounds(FuncOp func) { return BoundsFinder(func).take(); }
