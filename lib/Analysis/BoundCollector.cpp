//===- BoundCollector.cpp - Bounds of accesses in terms of the group ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/BoundCollector.h"
#include "lib/Analysis/MemoryAccess.h"

using namespace mlir;
using namespace mlir::tinytc;

static constexpr StringRef kIndexReason = "its index is not affine in the group id";
static constexpr StringRef kLaunchReason =
    "its index does not follow from sizes and scalars alone";
static constexpr StringRef kBlockReason = "a block that is loaded may reach beyond it";

// Names of accesses that are not at the id.
static constexpr StringRef kOtherElement = "another index";
static constexpr StringRef kMixedElements =
    "elements that do not depend on the group, and the group's own";
static constexpr StringRef kUnknownElement =
    "an index that the compiler does not derive from the group id";
static constexpr StringRef kUnknownView = "a view that the compiler does not follow";

/// More conditions are no guard that somebody wrote.
static constexpr size_t kMaxConditions = 16;

bool tinytc::mentionsGroup(const Polynomial &polynomial) {
  return polynomial.any(
      [](const Variable &each) { return each.kind == Variable::Kind::GroupId; });
}

Polynomial tinytc::getOfFirst(Polynomial polynomial) {
  for (unsigned dimension = 0; dimension < kNumDimensions; ++dimension)
    if (polynomial.contains(getGroupId(dimension)))
      polynomial = polynomial.split(getGroupId(dimension)).rest;
  return polynomial;
}

void BoundCollector::addUnknownView(IndexedModes modes, Operation *op) {
  accesses[modes] = {modes, GroupIndex::Other, kUnknownView, op};
}

/// Adds that an access takes an index.
///
/// \param outermost the same in terms of what is outside of all loops.
void BoundCollector::addGroupIndex(IndexedModes modes, Operation *op,
                                   const LaunchInteger &index,
                                   ArrayRef<ConditionalAccess> outermost) {
  if (modes.parameter >= numParameters)
    return;
  // Modes that are fused with the parts of complex numbers are counted otherwise.
  bool hasParts = modes.first == IndexedModes::kParts;
  if (hasParts)
    modes = {modes.parameter, 0, modes.count - 1};
  if (hasParts && modes.count == 0)
    return;
  // Of these, only bounds are known.
  auto isOpaque = [&](const Variable &each) {
    return each.kind == Variable::Kind::MemberSize ||
           (each.kind == Variable::Kind::Bounded && !integers.getBounded(each).isLoop);
  };
  bool isKnown = !hasParts && index.value.isKnown() && !index.value.any(isOpaque);
  for (const ConditionalAccess &each : outermost) {
    GroupAccess access{modes, GroupIndex::Shared, "", op};
    if (!(isKnown && each.index.isKnown()) && index.dependsOnGroup)
      access = {modes, GroupIndex::Other, kUnknownElement, op};
    else if (modes.count <= 1 && each.index == Polynomial(getGroupId(0)))
      access.index = GroupIndex::Id;
    else if (mentionsGroup(each.index))
      access = {modes, GroupIndex::Other, kOtherElement, op};

    auto [position, isNew] = accesses.try_emplace(modes, access);
    GroupAccess &known = position->second;
    if (isNew || known.index == GroupIndex::Other || known.index == access.index)
      continue;
    if (access.index != GroupIndex::Other)
      access = {modes, GroupIndex::Other, kMixedElements, op};
    known = access;
  }
}

/// Whether an index certainly moves away from an end of its mode, or not at all.
static bool isInward(const Polynomial &slope, bool isUpper) {
  return (isUpper ? slope * -1 : slope).isNonNegative();
}

/// Whether the index of an access moves inward with the id of a dimension.
static bool movesInward(const ConditionalAccess &access, bool isUpper,
                        unsigned dimension) {
  return isInward(access.index.split(getGroupId(dimension)).slope, isUpper);
}

/// Whether a load of a block from local memory may pass an end.
static bool isLocalLoad(const AccessedEnd &end) {
  if (!end.block)
    return false;
  auto load = dyn_cast<CooperativeMatrixLoadOp>(end.block->op);
  return load && getRoot(load.getSource()).getDefiningOp<AllocaOp>();
}

/// Adds that an access takes an index if the facts hold.
void BoundCollector::addIndex(const AccessedEnd &end, const LaunchInteger &index,
                              const Facts &made) {
  OutermostAccesses outermost =
      getOutermost(integers, index.value, made, end.isUpper, end.size);
  addGroupIndex(end.modes, end.op, index, outermost.possible);
  for (const ConditionalAccess &access : outermost.certain)
    addCertain(end, access);
  if (outermost.isExact)
    return;
  bool isConditional =
      !made.areAll || llvm::any_of(made.list, [](const Polynomial &fact) {
        return fact.any(
            [](const Variable &each) { return each.kind == Variable::Kind::Bounded; });
      });
  StringRef reason = index.dependsOnGroup ? kIndexReason : kLaunchReason;
  if (isLocalLoad(end)) {
    isConditional = false;
    reason = kBlockReason;
  }
  for (const ConditionalAccess &access : outermost.possible)
    addPossible(end, access,
                isConditional && access.index.isKnown() ? kConditionReason : reason);
}

/// Adds the bounds of an access that is made if its facts hold.
void BoundCollector::addCertain(const AccessedEnd &end,
                                const ConditionalAccess &access) {
  // Dimensions in which groups after the first one are farther outside, or make an
  // access that the first one does not make, and those that decide about the access.
  SmallVector<unsigned> dimensions, deciding;
  for (unsigned dimension = 0; dimension < kNumDimensions; ++dimension) {
    bool isOutward = !movesInward(access, end.isUpper, dimension);
    for (const Polynomial &fact : access.facts) {
      Polynomial slope = fact.split(getGroupId(dimension)).slope;
      isOutward |= !(slope * -1).isNonNegative();
      if (!(slope == 0) && !llvm::is_contained(deciding, dimension))
        deciding.push_back(dimension);
    }
    if (isOutward)
      dimensions.push_back(dimension);
  }
  if (dimensions.empty())
    return addFixedBound(end, access);
  // If one dimension decides, its bound covers the groups of all others.
  bool isCovered =
      deciding.size() == 1 && llvm::is_contained(dimensions, deciding.front());
  for (unsigned dimension : dimensions)
    addBound(end, access, dimension, isCovered && dimension != deciding.front());
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
    if (!line.isKnown() || mentionsGroup(line.slope))
      return std::nullopt;
    slopes[other] = line.slope;
    polynomial = line.rest;
  }
  return slopes;
}

/// Adds the bound of an access of the group with the ids 0, which every launch has.
void BoundCollector::addFixedBound(const AccessedEnd &end, ConditionalAccess access) {
  Polynomial index = getOfFirst(access.index);
  Polynomial distance = end.isUpper ? end.size - index - 1 : index;
  if (distance.isNonNegative())
    return;
  std::vector<Polynomial::Line> conditions;
  for (const Polynomial &fact : access.facts) {
    Polynomial condition = getOfFirst(fact);
    if (condition.getConstant().value_or(0) < 0)
      return;
    if (!condition.isNonNegative())
      conditions.push_back({Polynomial(0), condition});
  }
  if (conditions.size() > kMaxConditions || !distance.isKnown())
    return addUnchecked(end.modes, kConditionReason);
  GroupBound bound{
      end.modes, 0, {Polynomial(0), index}, {}, std::nullopt, std::move(conditions),
      end.block};
  if (end.isUpper)
    bound.size = end.size;
  addBound(std::move(bound));
}

/// Whether an index is inside for the first group, and moves inward from there.
static bool isNeverOutside(const AccessedEnd &end, const Polynomial::Line &index,
                           const std::array<Polynomial, kNumDimensions> &otherSlopes) {
  Polynomial distance = end.isUpper ? end.size - index.rest - 1 : index.rest;
  return isInward(index.slope, end.isUpper) && distance.isNonNegative() &&
         otherSlopes == std::array<Polynomial, kNumDimensions>();
}

/// Adds the bound of an access in a dimension, from the groups whose other ids are 0:
/// they are part of every launch.
///
/// \param isCovered whether the bound of another dimension covers all groups.
void BoundCollector::addBound(const AccessedEnd &end, const ConditionalAccess &access,
                              unsigned dimension, bool isCovered) {
  auto addReason = [&](StringRef reason) {
    if (!isCovered)
      addUnchecked(end.modes, reason);
  };
  Polynomial index = access.index;
  auto otherSlopes = takeOtherIds(index, dimension);
  if (!otherSlopes)
    return addReason(kIndexReason);
  for (Polynomial &slope : *otherSlopes)
    if (isInward(slope, end.isUpper))
      slope = 0;

  Polynomial::Line line = index.split(getGroupId(dimension));
  if (!line.isKnown())
    return addReason(kIndexReason);
  if (isNeverOutside(end, line, *otherSlopes))
    return;
  bool dependsOnOthers = false;
  std::vector<Polynomial::Line> conditions;
  for (Polynomial fact : access.facts) {
    auto slopes = takeOtherIds(fact, dimension);
    Polynomial::Line condition = fact.split(getGroupId(dimension));
    if (!slopes || !condition.isKnown())
      return addReason(kConditionReason);
    dependsOnOthers |= llvm::any_of(*slopes, [](auto &slope) { return !(slope == 0); });
    // Groups with other ids that are not 0 may access more.
    if (!llvm::all_of(*slopes,
                      [](auto &slope) { return (slope * -1).isNonNegative(); }))
      addReason(kConditionReason);
    if (fact.getConstant().value_or(0) < 0)
      return;
    if (!condition.slope.isNonNegative() || !condition.rest.isNonNegative())
      conditions.push_back(condition);
  }
  if (conditions.size() > kMaxConditions)
    return addReason(kConditionReason);
  if (dependsOnOthers && *otherSlopes != decltype(otherSlopes)::value_type()) {
    addReason(kConditionReason);
    otherSlopes->fill(0);
  }
  GroupBound bound{end.modes,    dimension,    line,
                   *otherSlopes, std::nullopt, std::move(conditions),
                   end.block};
  if (end.isUpper)
    bound.size = end.size;
  addBound(std::move(bound));
}

/// Adds a bound that need not be kept: if it is, the access is certainly inside.
void BoundCollector::addPossible(const AccessedEnd &end,
                                 const ConditionalAccess &access, StringRef reason) {
  if (!access.index.isKnown() || !end.size.isKnown())
    return addUnchecked(end.modes, reason);
  unsigned dimension = 0;
  for (unsigned each = kNumDimensions; each-- > 0;)
    if (!movesInward(access, end.isUpper, each))
      dimension = each;
  Polynomial index = access.index;
  auto otherSlopes = takeOtherIds(index, dimension);
  Polynomial::Line line = index.split(getGroupId(dimension));
  if (!otherSlopes || !line.isKnown())
    return addUnchecked(end.modes, reason);
  for (Polynomial &slope : *otherSlopes)
    if (isInward(slope, end.isUpper))
      slope = 0;
  if (isNeverOutside(end, line, *otherSlopes))
    return;
  std::vector<Polynomial::Line> conditions;
  for (Polynomial fact : access.facts) {
    auto slopes = takeOtherIds(fact, dimension);
    Polynomial::Line condition = fact.split(getGroupId(dimension));
    // Conditions that other groups do not need are left out.
    if (!slopes || !condition.isKnown() || conditions.size() == kMaxConditions ||
        !llvm::all_of(*slopes,
                      [](auto &slope) { return (slope * -1).isNonNegative(); }))
      continue;
    if (fact.getConstant().value_or(0) < 0)
      return;
    if (!condition.slope.isNonNegative() || !condition.rest.isNonNegative())
      conditions.push_back(condition);
  }
  GroupBound bound{end.modes,    dimension,    line,
                   *otherSlopes, std::nullopt, std::move(conditions),
                   end.block};
  if (end.isUpper)
    bound.size = end.size;
  addBound(std::move(bound), reason);
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

/// Adds a bound; with a reason, one that need not be kept.
void BoundCollector::addBound(GroupBound bound, StringRef reason) {
  llvm::sort(bound.conditions);
  bound.conditions.erase(llvm::unique(bound.conditions), bound.conditions.end());
  Polynomial::Line index = bound.index;
  index.rest = index.rest - getConstantPart(index.rest);
  std::optional<BlockReach> reach = bound.block ? bound.block->reach : std::nullopt;
  SimilarBounds key{reason,     bound.modes, bound.dimension,
                    bound.size, index,       bound.otherSlopes,
                    reach};
  auto isImplied = [&](const GroupBound &known) { return implies(known, bound); };
  if (llvm::any_of(found[key], isImplied))
    return;
  key.reason = "";
  if (!reason.empty() && llvm::any_of(found[key], isImplied))
    return;
  key.reason = reason;
  std::vector<GroupBound> &similar = found[key];
  llvm::erase_if(similar, [&](const auto &known) { return implies(bound, known); });
  similar.push_back(std::move(bound));
}

void BoundCollector::addTo(GroupBounds &result) const {
  for (auto [modes, reason] : unchecked)
    result.unchecked.push_back({modes, reason, std::nullopt});
  for (const auto &[key, bounds] : found)
    for (const GroupBound &bound : bounds) {
      if (key.reason.empty())
        result.bounds.push_back(bound);
      else if (!unchecked.count({key.modes, key.reason})) // which is not always so
        result.unchecked.push_back({key.modes, key.reason, bound});
    }
  for (const auto &[modes, access] : accesses)
    result.accesses.push_back(access);
}
