//===- OutermostAccess.cpp - The access that is farthest outside ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/OutermostAccess.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// More accesses are no index that somebody wrote.
static constexpr size_t kMaxAccesses = 32;

/// Replaces a variable; the result is unknown if the polynomial is not linear in it.
static Polynomial replaceVariable(const Polynomial &polynomial, Variable variable,
                                  const Polynomial &value) {
  if (!polynomial.contains(variable))
    return polynomial;
  Polynomial::Line line = polynomial.split(variable);
  return line.slope * value + line.rest;
}

namespace {

/// The facts about a variable, in terms of others.
struct Limits {
  /// It is at most, and at least, each of these.
  std::vector<Polynomial> most, least;
  std::vector<Polynomial> others;
  /// Facts without the variable.
  std::vector<Polynomial> rest;

  bool any() const { return !most.empty() || !least.empty() || !others.empty(); }
};

/// Replaces bounded integers from the last one to the first one: bounds are made of
/// earlier ones.
class Replacer {
public:
  Replacer(const LaunchIntegers &integers, bool isUpper, const Polynomial &size,
           bool isPossible)
      : integers(integers), isUpper(isUpper), size(size), isPossible(isPossible) {}

  void replace(ConditionalAccess access);
  bool isExact() const { return exact; }
  std::vector<ConditionalAccess> take() { return std::move(found); }

private:
  void replaceRange(ConditionalAccess access, Variable variable);
  void replaceByEnd(ConditionalAccess access, Variable variable, bool isLast);
  void replaceInFacts(ConditionalAccess access, Variable variable);
  void replaceExtremum(ConditionalAccess access, Variable variable);
  bool addFact(std::vector<Polynomial> &facts, const Polynomial &fact) const;
  /// That an access to the index is outside.
  Polynomial outside(const Polynomial &index) const {
    return isUpper ? index - size : index * -1 - 1;
  }
  Limits getLimits(const std::vector<Polynomial> &facts, Variable variable) const;
  /// Gives up an access that may not be made.
  void giveUp() { exact = false; }

  const LaunchIntegers &integers;
  bool isUpper;
  const Polynomial &size;
  /// Whether facts may be left out, else accesses.
  bool isPossible;
  bool exact = true;
  std::vector<ConditionalAccess> found;
};

} // namespace

/// The last bounded integer in an index and its facts.
static std::optional<Variable> getLastBounded(const ConditionalAccess &access) {
  std::optional<Variable> last;
  auto look = [&](const Variable &each) {
    if (each.kind == Variable::Kind::Bounded && (!last || last->number < each.number))
      last = each;
    return false;
  };
  access.index.any(look);
  for (const Polynomial &fact : access.facts)
    fact.any(look);
  return last;
}

Limits Replacer::getLimits(const std::vector<Polynomial> &facts,
                           Variable variable) const {
  Limits limits;
  for (const Polynomial &fact : facts) {
    if (!fact.contains(variable)) {
      limits.rest.push_back(fact);
      continue;
    }
    Polynomial::Line line = fact.split(variable);
    if (line.slope.getConstant() == -1)
      limits.most.push_back(line.rest);
    else if (line.slope.getConstant() == 1)
      limits.least.push_back(line.rest * -1);
    else
      limits.others.push_back(fact);
  }
  return limits;
}

/// Adds a fact that holds in 64 bits; returns whether it does.
bool Replacer::addFact(std::vector<Polynomial> &facts, const Polynomial &fact) const {
  if (!integers.isExact(fact))
    return false;
  if (!fact.isNonNegative() && !llvm::is_contained(facts, fact))
    facts.push_back(fact);
  return true;
}

void Replacer::replace(ConditionalAccess access) {
  std::optional<Variable> last = getLastBounded(access);
  if (found.size() >= kMaxAccesses) {
    exact = false;
    if (isPossible)
      found.back().index = Polynomial::unknown();
    return;
  }
  if (!access.index.isKnown() || !last) {
    if (isPossible || access.index.isKnown())
      found.push_back(std::move(access));
    else
      giveUp();
    return;
  }
  if (integers.getBounded(*last).kind == BoundedInteger::Kind::Range)
    replaceRange(std::move(access), *last);
  else
    replaceExtremum(std::move(access), *last);
}

void Replacer::replaceRange(ConditionalAccess access, Variable variable) {
  Polynomial slope = access.index.split(variable).slope;
  if (!slope.isKnown()) {
    access.index = slope;
    return replace(std::move(access));
  }
  if (slope == 0)
    return replaceInFacts(std::move(access), variable);
  bool isAscending = slope.isNonNegative();
  if (isAscending || (slope * -1).isNonNegative())
    return replaceByEnd(std::move(access), variable, isAscending == isUpper);
  replaceByEnd(access, variable, /*isLast=*/false);
  replaceByEnd(std::move(access), variable, /*isLast=*/true);
}

/// Replaces a variable by the value of its range that is farthest outside. With limits,
/// that value is outside if the end and all limits are.
void Replacer::replaceByEnd(ConditionalAccess access, Variable variable, bool isLast) {
  const BoundedInteger &range = integers.getBounded(variable);
  Limits limits = getLimits(access.facts, variable);
  const auto &near = isLast ? limits.most : limits.least;
  const Polynomial &end = isLast ? range.last : range.first;
  bool isClamped =
      limits.others.empty() && range.step == 1 && range.takesFirst && range.takesLast;
  std::vector<Polynomial> facts = limits.rest;
  for (const Polynomial &limit : near)
    isClamped &=
        addFact(facts, outside(replaceVariable(access.index, variable, limit)));
  if (limits.any()) {
    std::vector<Polynomial> most = limits.most, least = limits.least;
    most.push_back(range.last);
    least.push_back(range.first);
    for (const Polynomial &upper : most)
      for (const Polynomial &lower : least)
        isClamped &= addFact(facts, upper - lower);
  }
  if (!isPossible && !(isLast ? range.takesLast : range.takesFirst))
    return giveUp();
  exact &= isClamped || !limits.any();
  ConditionalAccess outermost{replaceVariable(access.index, variable, end), facts};
  if (!isPossible && !isClamped) {
    outermost.facts = access.facts;
    for (Polynomial &fact : outermost.facts)
      fact = replaceVariable(fact, variable, end);
  }
  replace(std::move(outermost));
}

/// Replaces a variable that only decides whether an access is made.
void Replacer::replaceInFacts(ConditionalAccess access, Variable variable) {
  const BoundedInteger &range = integers.getBounded(variable);
  Limits limits = getLimits(access.facts, variable);
  bool isClamped =
      limits.others.empty() && range.step == 1 && range.takesFirst && range.takesLast;
  std::vector<Polynomial> facts = limits.rest, most = limits.most, least = limits.least;
  most.push_back(range.last);
  least.push_back(range.first);
  for (const Polynomial &upper : most)
    for (const Polynomial &lower : least)
      isClamped &= addFact(facts, upper - lower);
  exact &= isClamped;
  if (!isPossible && !isClamped) {
    if (!range.takesFirst)
      return giveUp();
    facts = access.facts;
    for (Polynomial &fact : facts)
      fact = replaceVariable(fact, variable, range.first);
  }
  replace({access.index, facts});
}

/// Replaces the smaller or larger one of two integers.
void Replacer::replaceExtremum(ConditionalAccess access, Variable variable) {
  const BoundedInteger &extremum = integers.getBounded(variable);
  bool isMin = extremum.kind == BoundedInteger::Kind::Min;
  // A fact holds for both integers if it holds for the one that is farther out.
  std::vector<Polynomial> facts;
  for (const Polynomial &fact : access.facts) {
    Polynomial slope = fact.split(variable).slope;
    bool isForBoth =
        !fact.contains(variable) || (isMin ? slope : slope * -1).isNonNegative();
    exact &= isForBoth;
    if (isPossible && !isForBoth)
      continue;
    facts.push_back(replaceVariable(fact, variable, extremum.first));
    if (fact.contains(variable))
      facts.push_back(replaceVariable(fact, variable, extremum.last));
  }
  Polynomial slope = access.index.split(variable).slope;
  Polynomial a = replaceVariable(access.index, variable, extremum.first);
  Polynomial b = replaceVariable(access.index, variable, extremum.last);
  bool isAscending = slope.isNonNegative();
  bool isMonotone = isAscending || (slope * -1).isNonNegative();
  if (slope == 0)
    return replace({access.index, facts});
  if (isMonotone && isMin == (isAscending == isUpper)) {
    // It is outside if both are: the index that says more comes second.
    if (a.isOfLaunch())
      std::swap(a, b);
    if (addFact(facts, outside(b)))
      return replace({a, facts});
    exact = false;
    return isPossible ? replace({a, facts}) : giveUp();
  }
  // It is one of them. If neither is known to be farther out, that may be the other.
  if (!isMonotone && !isPossible)
    return giveUp();
  exact &= isMonotone;
  replace({a, facts});
  replace({b, facts});
}

OutermostAccesses tinytc::getOutermost(const LaunchIntegers &integers,
                                       const Polynomial &index, const Facts &facts,
                                       bool isUpper, const Polynomial &size) {
  OutermostAccesses result;
  ConditionalAccess access{index, facts.list};
  if (facts.areAll && index.isKnown()) {
    Replacer certain(integers, isUpper, size, /*isPossible=*/false);
    certain.replace(access);
    result.certain = certain.take();
    result.isExact = certain.isExact();
  }
  if (result.isExact) {
    result.possible = result.certain;
    return result;
  }
  Replacer possible(integers, isUpper, size, /*isPossible=*/true);
  possible.replace(access);
  result.possible = possible.take();
  return result;
}
