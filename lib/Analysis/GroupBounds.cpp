//===- GroupBounds.cpp - How many groups fit the arrays -------------------===//

#include "lib/Analysis/GroupBounds.h"
#include "lib/Analysis/BatchUses.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/ProductModes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace mlir::tinytc;

static constexpr StringRef kIndexReason = "its index is not affine in the group id";
static constexpr StringRef kConditionReason =
    "it is accessed under a condition that is not affine in the group id";
static constexpr StringRef kSizeReason = "its size differs from member to member";

// What another access than one at the id is.
static constexpr StringRef kOtherElement = "another index";
static constexpr StringRef kMixedElements =
    "elements that do not depend on the group, and the group's own";
static constexpr StringRef kUnknownElement =
    "an index that the compiler does not derive from the group id";
static constexpr StringRef kUnknownView = "a view that the compiler does not follow";

/// More conditions are no guard that somebody wrote.
static constexpr size_t kMaxConditions = 16;

namespace {

/// The indices that an access takes of one mode.
struct IndexRange {
  LaunchInteger first, last;
};

/// A branch or a loop around an instruction.
struct Scope {
  /// What holds if the instruction is executed.
  Facts facts;
  /// Of a loop.
  std::optional<Variable> variable;
  /// Values of the variable in the first and in the last iteration.
  Polynomial first, last;
  /// The parameter whose memory the condition asks for: the facts say nothing about
  /// accesses to others.
  std::optional<unsigned> associated;
};

/// Bounds that differ only in conditions and in the constant part of the index.
struct SimilarBounds {
  IndexedModes modes;
  unsigned dimension;
  bool isUpper;
  Polynomial::Line index;
  std::array<Polynomial, kNumDimensions> otherSlopes;

  bool operator<(const SimilarBounds &other) const {
    return std::tie(modes, dimension, isUpper, index, otherSlopes) <
           std::tie(other.modes, other.dimension, other.isUpper, other.index,
                    other.otherSlopes);
  }
};

/// An access to an index of a coordinate, made if no fact is negative.
struct IndexedAccess {
  const Coordinate &coordinate;
  Polynomial index;
  /// Whether it is the last one that is accessed, which must be less than the size.
  bool isUpper;
  std::vector<Polynomial> facts;
  /// Whether the facts are all that decides whether the access is made.
  bool isCertain;
};

/// Whether the id of a group in any dimension occurs.
bool mentionsGroup(const Polynomial &polynomial) {
  return llvm::any_of(llvm::seq(kNumDimensions), [&](unsigned dimension) {
    return polynomial.contains(getGroupId(dimension));
  });
}

/// Walks a kernel in the order of execution.
class BoundsFinder {
public:
  explicit BoundsFinder(FuncOp func) : func(func), views(integers) {
    for (BlockArgument parameter : func.getArguments()) {
      integers.addParameter(parameter);
      views.addParameter(parameter);
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
  void addElement(Value source, ValueRange indices);
  void addBlock(Value memref, CoopMatrixType matrix, bool isTransposed, Checked checked,
                Value x, Value y);
  void addWhole(Value memref);
  void addAccess(const ParameterView &view, ArrayRef<IndexRange> ranges,
                 const std::vector<Polynomial> &facts = {});
  void addUnknownView(Value memref);
  void addGroupIndex(IndexedModes modes, const LaunchInteger &index);
  void addIndex(const Coordinate &coordinate, LaunchInteger index, bool isUpper,
                std::vector<Polynomial> facts);
  bool leaveScopes(unsigned parameter, Polynomial &index, bool isUpper,
                   std::vector<Polynomial> &facts) const;
  void addFixedBound(IndexedAccess access);
  void addBound(const IndexedAccess &access, unsigned dimension);
  void addBound(GroupBound bound);

  FuncOp func;
  LaunchIntegers integers;
  ParameterViews views;
  std::vector<Scope> scopes;
  /// The instruction that is looked at.
  Operation *current = nullptr;
  std::map<IndexedModes, GroupAccess> accesses;
  std::map<SimilarBounds, std::vector<GroupBound>> found;
  std::set<std::pair<IndexedModes, StringRef>> unchecked;
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
    Variable variable = integers.addLoopVariable(value, low, high);
    Scope scope{std::nullopt, variable, first, end - 1, std::nullopt};
    bool isExact = integers.isExact(first) && integers.isExact(end);
    if (isExact) // there is an iteration if
      scope.facts = {end - first - 1};
    if (step != 1) {
      std::optional<int64_t> begin = first.getConstant(),
                             last = scope.last.getConstant();
      bool isKnown = isExact && begin && last && step && *step > 0;
      scope.last = isKnown ? Polynomial(*last - (*last - *begin) % *step)
                           : Polynomial::unknown();
    }
    scopes.push_back(std::move(scope));
  }
  for (Region &region : op->getRegions())
    visit(region);
  scopes.resize(outside);
}

/// The parameter that a condition asks for, if it does only that. An array that is not
/// passed has no bounds, so that the condition holds wherever they are checked.
static std::optional<unsigned> getAssociated(Value condition) {
  auto op = condition.getDefiningOp<AssociatedOp>();
  if (!op)
    return std::nullopt;
  Value root = op.getSource();
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>())
    root = view.getViewSource();
  auto parameter = dyn_cast<BlockArgument>(root);
  if (!parameter || !isa<FuncOp>(parameter.getOwner()->getParentOp()))
    return std::nullopt;
  return parameter.getArgNumber();
}

void BoundsFinder::visitBranch(IfOp op) {
  LaunchBoolean condition = integers.getBoolean(op.getCondition());
  scopes.push_back({condition.ifTrue, std::nullopt, {}, {}, std::nullopt});
  if (std::optional<unsigned> parameter = getAssociated(op.getCondition()))
    scopes.back() = {std::vector<Polynomial>(), std::nullopt, {}, {}, parameter};
  visit(op.getThenRegion());
  scopes.back().associated.reset();
  scopes.back().facts = condition.ifFalse;
  visit(op.getElseRegion());
  scopes.pop_back();
}

void BoundsFinder::visit(Region &region) {
  if (region.empty())
    return;
  for (Operation &op : region.front())
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
        SmallVector<std::optional<int64_t>> steps(loop.getSizes());
        visitLoop(loop, loop.getStarts(), loop.getFrom(), loop.getTo(), steps);
      })
      .Case([&](ParallelOp parallel) { visit(parallel.getBody()); })
      .Case([&](CooperativeMatrixApplyOp apply) { visit(apply.getBody()); })
      .Case<GroupIdOp, GroupSizeOp>(
          [&](auto number) { usesDimension[unsigned(number.getDimension())] = true; })
      .Default([&](Operation *other) { addAccesses(other); });
  views.addResult(&op);
  integers.addResult(&op);
  if (auto size = dyn_cast<SizeOp>(op))
    integers.set(size, views.getSize(size));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void BoundsFinder::addAccesses(Operation *op) {
  current = op;
  if (auto load = dyn_cast<LoadOp>(op))
    return addElement(load.getSource(), load.getIndices());
  if (auto store = dyn_cast<StoreOp>(op))
    return addElement(store.getDest(), store.getIndices());
  if (auto load = dyn_cast<CooperativeMatrixLoadOp>(op))
    return addBlock(load.getSource(), load.getType(),
                    load.getTranspose() == Transpose::T, load.getChecked(), load.getX(),
                    load.getY());
  if (auto store = dyn_cast<CooperativeMatrixStoreOp>(op))
    return addBlock(store.getDest(), store.getMatrix().getType(),
                    store.getTranspose() == Transpose::T, store.getChecked(),
                    store.getX(), store.getY());
  if (auto atomic = dyn_cast<AtomicOpInterface>(op)) {
    OperandRange indices = atomic.getAccessedIndices();
    if (CoopMatrixType matrix = atomic.getAccessedMatrix())
      return addBlock(atomic.getAccessedMemref(), matrix, atomic.isTransposed(),
                      atomic.getCheckedModes(), indices[0], indices[1]);
    return addElement(atomic.getAccessedMemref(), indices);
  }
  if (auto blas = dyn_cast<BlasOpInterface>(op))
    addEqualSizes(blas);
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  llvm::SmallSetVector<Value, 4> memrefs;
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()) &&
        effect.getValue())
      memrefs.insert(effect.getValue());
  for (Value memref : memrefs)
    addWhole(memref);
}

/// Adds which sizes an instruction requires to be equal, if all groups execute it.
void BoundsFinder::addEqualSizes(BlasOpInterface op) {
  if (!scopes.empty())
    return;
  for (const auto &[own, reference] : getEqualModes(op)) {
    Polynomial size = views.getSize(own.operand->get(), own.mode).value;
    Polynomial expected = views.getSize(reference.operand->get(), reference.mode).value;
    auto isOfLaunch = [&](const Polynomial &polynomial) {
      return integers.isExact(polynomial) && !mentionsGroup(polynomial);
    };
    if (size == expected || !isOfLaunch(size) || !isOfLaunch(expected))
      continue;
    bool isKnown = llvm::any_of(equalSizes, [&](const EqualSizes &known) {
      return known.size == size && known.expected == expected;
    });
    if (!isKnown)
      equalSizes.push_back({size, expected, op});
  }
}

void BoundsFinder::addElement(Value source, ValueRange indices) {
  std::vector<IndexRange> ranges;
  for (Value index : indices)
    ranges.push_back({integers.get(index), integers.get(index)});
  if (std::optional<ParameterView> members = views.getMembers(source))
    addAccess(*members, ranges);
  else if (const ParameterView *view = views.find(source))
    addAccess(*view, ranges);
  else
    addUnknownView(source);
}

void BoundsFinder::addBlock(Value memref, CoopMatrixType matrix, bool isTransposed,
                            Checked checked, Value x, Value y) {
  const ParameterView *view = views.find(memref);
  if (!view)
    return addUnknownView(memref);
  int64_t shape[] = {matrix.getRows(), matrix.getColumns()};
  bool checkedModes[] = {isChecked(checked, 0), isChecked(checked, 1)};
  if (isTransposed) {
    std::swap(shape[0], shape[1]);
    std::swap(checkedModes[0], checkedModes[1]);
  }
  LaunchInteger begin[] = {integers.get(x), integers.get(y)};
  std::vector<IndexRange> ranges;
  std::vector<Polynomial> facts;
  for (auto [mode, first] : llvm::enumerate(begin)) {
    LaunchInteger last = first;
    if (checkedModes[mode]) {
      // The first row or column is accessed if it is within the matrix.
      facts.push_back(first.value);
      facts.push_back(view->modes[mode].size.value - first.value - 1);
    } else {
      last.value = last.value + (shape[mode] - 1);
    }
    ranges.push_back({first, last});
  }
  addAccess(*view, ranges, facts);
}

void BoundsFinder::addWhole(Value memref) {
  const ParameterView *view = views.find(memref);
  if (!view)
    return addUnknownView(memref);
  std::vector<IndexRange> ranges;
  std::vector<Polynomial> facts;
  for (const ViewMode &mode : view->modes) {
    LaunchInteger last = mode.size;
    last.value = last.value - 1;
    if (last.value.isKnown() || mode.mayBeEmpty)
      facts.push_back(last.value); // there is an element
    ranges.push_back({LaunchInteger::constant(0), last});
  }
  addAccess(*view, ranges, facts);
}

/// Adds an access that is made if no fact is negative.
void BoundsFinder::addAccess(const ParameterView &view, ArrayRef<IndexRange> ranges,
                             const std::vector<Polynomial> &facts) {
  std::vector<LaunchInteger> first, last;
  for (const Coordinate &coordinate : view.coordinates) {
    first.push_back(coordinate.begin);
    last.push_back(coordinate.begin);
  }
  for (auto [mode, range] : llvm::zip_equal(view.modes, ranges)) {
    first[mode.coordinate] = first[mode.coordinate] + mode.stride * range.first;
    last[mode.coordinate] = last[mode.coordinate] + mode.stride * range.last;
  }
  for (auto [number, coordinate] : llvm::enumerate(view.coordinates)) {
    addIndex(coordinate, first[number], /*isUpper=*/false, facts);
    addIndex(coordinate, last[number], /*isUpper=*/true, facts);
  }
}

/// Adds an access through a memref without a view: local memory, or anything.
void BoundsFinder::addUnknownView(Value memref) {
  if (getRoot(memref).getDefiningOp<AllocaOp>())
    return;
  for (BlockArgument parameter : func.getArguments()) {
    if (!isa<MemrefType, GroupType>(parameter.getType()))
      continue;
    IndexedModes modes{parameter.getArgNumber()};
    accesses[modes] = {modes, GroupIndex::Other, kUnknownView, current};
  }
}

/// Adds that an access takes an index, in terms of what is outside of all loops.
void BoundsFinder::addGroupIndex(IndexedModes modes, const LaunchInteger &index) {
  GroupAccess access{modes, GroupIndex::Shared, "", current};
  bool hasId = mentionsGroup(index.value);
  if (!index.value.isKnown() && index.dependsOnGroup)
    access = {modes, GroupIndex::Other, kUnknownElement, current};
  else if (modes.count <= 1 && index.value == Polynomial(getGroupId(0)))
    access.index = GroupIndex::Id;
  else if (hasId)
    access = {modes, GroupIndex::Other, kOtherElement, current};

  auto [position, isNew] = accesses.try_emplace(modes, access);
  GroupAccess &known = position->second;
  if (isNew || known.index == GroupIndex::Other || known.index == access.index)
    return;
  if (access.index != GroupIndex::Other)
    access = {modes, GroupIndex::Other, kMixedElements, current};
  known = access;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Replaces a variable; the result is unknown if the polynomial is not linear in it.
static Polynomial replace(const Polynomial &polynomial, Variable variable,
                          const Polynomial &value) {
  if (!polynomial.contains(variable))
    return polynomial;
  Polynomial::Line line = polynomial.split(variable);
  return line.slope * value + line.rest;
}

/// Replaces the variables of all loops around an access by their values in the
/// iteration with the index that is farthest outside, and adds what must hold for that
/// iteration to be executed. Returns whether that is known.
bool BoundsFinder::leaveScopes(unsigned parameter, Polynomial &index, bool isUpper,
                               std::vector<Polynomial> &facts) const {
  bool isKnown = true;
  for (const Scope &scope : llvm::reverse(scopes)) {
    isKnown &=
        scope.facts.has_value() && (!scope.associated || scope.associated == parameter);
    if (scope.facts)
      llvm::append_range(facts, *scope.facts);
    if (!scope.variable)
      continue;
    Polynomial value = scope.first;
    if (index.contains(*scope.variable)) {
      Polynomial slope = index.split(*scope.variable).slope;
      bool isAscending = slope.isNonNegative();
      if (!isAscending && !(slope * -1).isNonNegative())
        index = Polynomial::unknown();
      else if (isAscending == isUpper)
        value = scope.last;
    }
    index = replace(index, *scope.variable, value);
    for (Polynomial &fact : facts)
      fact = replace(fact, *scope.variable, value);
  }
  return isKnown;
}

/// Whether an index certainly moves away from an end of its mode, or not at all.
static bool isInward(const Polynomial &slope, bool isUpper) {
  return (isUpper ? slope * -1 : slope).isNonNegative();
}

/// Whether the index of an access moves inward with the id of a dimension.
static bool movesInward(const IndexedAccess &access, unsigned dimension) {
  return isInward(access.index.split(getGroupId(dimension)).slope, access.isUpper);
}

/// Adds that an access takes an index if no fact is negative.
void BoundsFinder::addIndex(const Coordinate &coordinate, LaunchInteger index,
                            bool isUpper, std::vector<Polynomial> facts) {
  bool isCertain = leaveScopes(coordinate.modes.parameter, index.value, isUpper, facts);
  bool isNeverMade = llvm::any_of(
      facts, [](const Polynomial &fact) { return fact.getConstant().value_or(0) < 0; });
  if (index.value.isKnown() && isNeverMade)
    return;
  addGroupIndex(coordinate.modes, index);
  if (!index.value.isKnown()) {
    if (index.dependsOnGroup)
      unchecked.insert({coordinate.modes, kIndexReason});
    return;
  }
  IndexedAccess access{coordinate, index.value, isUpper, std::move(facts), isCertain};
  bool isFirstOutermost = true;
  for (unsigned dimension = 0; dimension < kNumDimensions; ++dimension) {
    if (movesInward(access, dimension))
      continue;
    isFirstOutermost = false;
    addBound(access, dimension);
  }
  if (isFirstOutermost)
    addFixedBound(std::move(access));
}

/// Removes the other ids from a polynomial, as if they were 0, and returns what
/// multiplies them; nothing if that depends on an id.
static std::optional<std::array<Polynomial, kNumDimensions>>
takeOtherIds(Polynomial &polynomial, unsigned dimension) {
  std::array<Polynomial, kNumDimensions> slopes;
  for (unsigned other = 0; other < kNumDimensions; ++other) {
    if (other == dimension)
      continue;
    Polynomial::Line line = polynomial.split(getGroupId(other));
    for (unsigned id = 0; id < kNumDimensions; ++id)
      if (!line.isKnown() || line.slope.contains(getGroupId(id)))
        return std::nullopt;
    slopes[other] = line.slope;
    polynomial = line.rest;
  }
  return slopes;
}

/// Adds the bound of an access of the group with the ids 0, which every launch has.
void BoundsFinder::addFixedBound(IndexedAccess access) {
  for (unsigned dimension = 0; dimension < kNumDimensions; ++dimension) {
    access.index = replace(access.index, getGroupId(dimension), 0);
    for (Polynomial &fact : access.facts)
      fact = replace(fact, getGroupId(dimension), 0);
  }
  const Polynomial &size = access.coordinate.size;
  Polynomial distance = access.isUpper ? size - access.index - 1 : access.index;
  if (!access.isCertain || !distance.isKnown() || distance.isNonNegative())
    return;
  std::vector<Polynomial::Line> conditions;
  for (const Polynomial &fact : access.facts) {
    if (!fact.isKnown() || fact.getConstant().value_or(0) < 0)
      return;
    if (!fact.isNonNegative())
      conditions.push_back({Polynomial(0), fact});
  }
  if (conditions.size() > kMaxConditions)
    return;
  GroupBound bound{
      access.coordinate.modes, 0, {Polynomial(0), access.index}, {}, std::nullopt,
      std::move(conditions)};
  if (access.isUpper)
    bound.size = size;
  addBound(std::move(bound));
}

/// Adds the bound of an access in a dimension, from the groups whose other ids are 0:
/// they are part of every launch.
void BoundsFinder::addBound(const IndexedAccess &access, unsigned dimension) {
  auto addUnchecked = [&](StringRef reason) {
    unchecked.insert({access.coordinate.modes, reason});
  };
  Polynomial index = access.index;
  auto otherSlopes = takeOtherIds(index, dimension);
  if (!otherSlopes)
    return addUnchecked(kIndexReason);
  for (Polynomial &slope : *otherSlopes)
    if (isInward(slope, access.isUpper))
      slope = 0;

  bool isCertain = access.isCertain, dependsOnOthers = false;
  std::vector<Polynomial::Line> conditions;
  for (Polynomial fact : access.facts) {
    auto slopes = takeOtherIds(fact, dimension);
    Polynomial::Line condition = fact.split(getGroupId(dimension));
    isCertain &= slopes && condition.isKnown();
    if (!isCertain)
      break;
    dependsOnOthers |= llvm::any_of(*slopes, [](auto &slope) { return !(slope == 0); });
    // Groups with other ids that are not 0 may access more.
    if (!llvm::all_of(*slopes,
                      [](auto &slope) { return (slope * -1).isNonNegative(); }))
      addUnchecked(kConditionReason);
    if (fact.getConstant().value_or(0) < 0)
      return;
    if (!condition.slope.isNonNegative() || !condition.rest.isNonNegative())
      conditions.push_back(condition);
  }
  Polynomial::Line line = index.split(getGroupId(dimension));
  if (!line.isKnown())
    return addUnchecked(kIndexReason);
  if (!isCertain || conditions.size() > kMaxConditions)
    return addUnchecked(kConditionReason);
  if (access.isUpper && !access.coordinate.size.isKnown())
    return addUnchecked(kSizeReason);
  if (dependsOnOthers && *otherSlopes != decltype(otherSlopes)::value_type()) {
    addUnchecked(kConditionReason);
    otherSlopes->fill(0);
  }
  GroupBound bound{access.coordinate.modes, dimension, line, *otherSlopes, std::nullopt,
                   std::move(conditions)};
  if (access.isUpper)
    bound.size = access.coordinate.size;
  addBound(std::move(bound));
}

/// The constant part of a polynomial.
static int64_t getConstantPart(const Polynomial &polynomial) {
  auto term = polynomial.getTerms().find(Polynomial::Product());
  return term == polynomial.getTerms().end() ? 0 : term->second;
}

/// Whether `bound` says all that `other` says, if both are similar.
static bool implies(const GroupBound &bound, const GroupBound &other) {
  int64_t constant = getConstantPart(bound.index.rest);
  int64_t otherConstant = getConstantPart(other.index.rest);
  bool isFartherOut =
      bound.size ? constant >= otherConstant : constant <= otherConstant;
  return isFartherOut &&
         std::includes(other.conditions.begin(), other.conditions.end(),
                       bound.conditions.begin(), bound.conditions.end());
}

void BoundsFinder::addBound(GroupBound bound) {
  llvm::sort(bound.conditions);
  bound.conditions.erase(llvm::unique(bound.conditions), bound.conditions.end());
  Polynomial::Line index = bound.index;
  index.rest = index.rest - getConstantPart(index.rest);
  std::vector<GroupBound> &similar = found[{
      bound.modes, bound.dimension, bound.size.has_value(), index, bound.otherSlopes}];
  if (llvm::any_of(similar, [&](const auto &known) { return implies(known, bound); }))
    return;
  llvm::erase_if(similar, [&](const auto &known) { return implies(bound, known); });
  similar.push_back(std::move(bound));
}

/// The size of a mode, or the number of members.
static Variable getSizeVariable(IndexedModes modes) {
  if (modes.count == 0)
    return {Variable::Kind::Members, modes.parameter};
  return {Variable::Kind::Size, modes.parameter, modes.first};
}

GroupBounds BoundsFinder::take() {
  GroupBounds result;
  for (auto &[key, bounds] : found)
    llvm::append_range(result.bounds, bounds);
  for (auto [modes, reason] : unchecked)
    result.unchecked.push_back({modes, reason});
  std::vector<Variable> batchSizes;
  for (const auto &[modes, access] : accesses) {
    result.accesses.push_back(access);
    if (access.index == GroupIndex::Id)
      batchSizes.push_back(getSizeVariable(modes));
  }
  result.launchDependent = getLaunchDependent(func, integers, batchSizes);
  result.usesDimension = usesDimension;
  result.equalSizes = equalSizes;
  return result;
}

GroupBounds tinytc::getGroupBounds(FuncOp func) { return BoundsFinder(func).take(); }
