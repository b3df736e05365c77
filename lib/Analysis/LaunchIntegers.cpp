//===- LaunchIntegers.cpp - Values in terms of a launch -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/LaunchIntegers.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tinytc;

/// Largest id of a group of a launch.
static constexpr int64_t kMaxGroupId = (int64_t(1) << 31) - 2;

static bool isIntegerScalar(Type type) {
  return type.isIntOrIndex() && !type.isInteger(1);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Nothing for 64 bits: the launch knows values of that size.
std::optional<LaunchIntegers::Interval> LaunchIntegers::getInterval(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() > 32)
    return std::nullopt;
  int64_t half = int64_t(1) << (integer.getWidth() - 1);
  return Interval{-half, half - 1};
}

std::optional<LaunchIntegers::Interval>
LaunchIntegers::getInterval(Variable variable) const {
  if (variable.kind == Variable::Kind::GroupId)
    return Interval{0, kMaxGroupId};
  auto known = intervals.find(variable);
  return known == intervals.end() ? std::nullopt : std::optional(known->second);
}

std::optional<LaunchIntegers::Interval>
LaunchIntegers::getInterval(const Polynomial &polynomial) const {
  if (!polynomial.isSmall())
    return std::nullopt;
  // Intervals have at most 34 bits, so small polynomials of them do not overflow.
  Interval sum{0, 0};
  for (const auto &[product, coefficient] : polynomial.getTerms()) {
    std::optional<Interval> factor =
        product.empty() ? Interval{1, 1} : getInterval(product.front());
    if (!factor)
      return std::nullopt;
    int64_t a = coefficient * factor->low, b = coefficient * factor->high;
    sum = {sum.low + std::min(a, b), sum.high + std::max(a, b)};
  }
  return sum;
}

/// Whether it has at most 40 bits if no value of the launch has more than 38.
bool LaunchIntegers::isNarrow(Variable variable) const {
  if (variable.kind == Variable::Kind::Bounded)
    return getBounded(variable).isNarrow;
  return variable.kind != Variable::Kind::Quotient || getInterval(variable) ||
         isNarrow(quotients[variable.number].dividend);
}

/// Whether it is a constant, or a narrow variable with a constant.
bool LaunchIntegers::isNarrow(const Polynomial &polynomial) const {
  unsigned numVariables = 0;
  return polynomial.isKnown() &&
         llvm::all_of(polynomial.getTerms(), [&](const auto &term) {
           if (term.first.empty())
             return llvm::isInt<34>(term.second);
           return term.first.size() == 1 && ++numVariables == 1 &&
                  (term.second == 1 || term.second == -1) &&
                  isNarrow(term.first.front());
         });
}

bool LaunchIntegers::isExact(const Polynomial &polynomial) const {
  return polynomial.isSmall() &&
         !polynomial.any([&](const Variable &each) { return !isNarrow(each); });
}

/// A number that certainly divides all values.
int64_t LaunchIntegers::getDivisor(const Polynomial &polynomial) const {
  int64_t divisor = 0;
  for (const auto &[product, coefficient] : polynomial.getTerms()) {
    int64_t factor = coefficient;
    for (const Variable &variable : product) {
      if (variable.kind != Variable::Kind::Bounded)
        continue;
      const BoundedInteger &range = getBounded(variable);
      std::optional<int64_t> first = range.first.getConstant();
      if (range.kind == BoundedInteger::Kind::Range && first &&
          llvm::isInt<32>(factor) && llvm::isInt<31>(range.step))
        factor *= std::gcd(*first, range.step);
    }
    divisor = std::gcd(divisor, factor);
  }
  return divisor;
}

/// Whether a value of the type certainly holds the polynomial. Where 64 bits do not,
/// the launch notices.
bool LaunchIntegers::fits(const Polynomial &polynomial, Type type) const {
  std::optional<Interval> allowed = getInterval(type);
  if (!allowed)
    return true;
  std::optional<Interval> interval = getInterval(polynomial);
  return interval && allowed->low <= interval->low && interval->high <= allowed->high;
}

//===----------------------------------------------------------------------===//
// Parameters and loops
//===----------------------------------------------------------------------===//

void LaunchIntegers::addParameter(BlockArgument parameter) {
  if (!isIntegerScalar(parameter.getType()))
    return;
  Variable variable{Variable::Kind::Scalar, parameter.getArgNumber()};
  integers[parameter] = {Polynomial(variable), false};
  if (std::optional<Interval> interval = getInterval(parameter.getType()))
    intervals[variable] = *interval;
}

Variable LaunchIntegers::addBounded(BoundedInteger integer,
                                    std::optional<Interval> interval) {
  Variable variable{Variable::Kind::Bounded, unsigned(bounded.size())};
  integer.isNarrow = isNarrow(integer.first) && isNarrow(integer.last);
  if (interval && llvm::isInt<34>(interval->low) && llvm::isInt<34>(interval->high)) {
    intervals[variable] = *interval;
    integer.isNarrow = true;
  }
  bounded.push_back(std::move(integer));
  return variable;
}

Variable LaunchIntegers::addLoopVariable(Value value, Value from, Value to,
                                         std::optional<int64_t> step) {
  LaunchInteger first = get(from), end = get(to);
  BoundedInteger range{BoundedInteger::Kind::Range, first.value, end.value - 1};
  range.isLoop = range.takesFirst = true;
  range.step = step && *step > 0 ? *step : 1;
  range.takesLast = step == 1;
  Polynomial distance = range.last - range.first;
  if (step && *step > 1 && distance.isOfLaunch()) {
    range.last = range.first + getQuotient(distance, *step) * *step;
    range.takesLast = true;
  }
  std::optional<Interval> interval = getInterval(value.getType());
  std::optional<Interval> firstRange = getInterval(first.value);
  std::optional<Interval> endRange = getInterval(end.value);
  if (firstRange && endRange)
    interval = Interval{firstRange->low, std::max(firstRange->low, endRange->high - 1)};
  Variable variable = addBounded(range, interval);
  integers[value] = {Polynomial(variable), first.dependsOnGroup || end.dependsOnGroup};
  return variable;
}

void LaunchIntegers::addExtent(Value value, int64_t size) {
  integers[value] = {getRange(1, size), /*dependsOnGroup=*/true};
}

std::vector<LaunchInteger> LaunchIntegers::get(ArrayRef<int64_t> constants,
                                               ValueRange values) const {
  std::vector<LaunchInteger> list;
  for (int64_t constant : constants) {
    if (!ShapedType::isDynamic(constant)) {
      list.push_back(LaunchInteger::constant(constant));
      continue;
    }
    list.push_back(get(values.front()));
    values = values.drop_front();
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void LaunchIntegers::addResult(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Type type = op->getResult(0).getType();
  if (isa<CmpEqOp, CmpNeOp, CmpLtOp, CmpLeOp, CmpGtOp, CmpGeOp>(op))
    addComparison(op);
  else if (type.isInteger(1) &&
           isa<ConstantOp, AssociatedOp, ArithNotOp, ArithAndOp, ArithOrOp>(op))
    addLogic(op);
  else if (isIntegerScalar(type))
    addInteger(op);
}

/// An integer of which only bounds are known.
Polynomial LaunchIntegers::getRange(int64_t low, int64_t high, int64_t step) {
  BoundedInteger range{BoundedInteger::Kind::Range, low, high};
  range.step = step;
  return Polynomial(addBounded(range, Interval{low, high}));
}

/// Division by a positive number; unknown if nothing is known of it.
Polynomial LaunchIntegers::getQuotient(const Polynomial &dividend, int64_t divisor) {
  if (std::optional<int64_t> constant = dividend.getConstant())
    return *constant / divisor;
  if (divisor == 1)
    return dividend;
  std::optional<Interval> interval = getInterval(dividend);
  LaunchQuotient quotient{dividend, divisor};
  if (dividend.isOfLaunch()) {
    auto position = llvm::find_if(quotients, [&](const LaunchQuotient &each) {
      return !(each < quotient) && !(quotient < each);
    });
    Variable variable{Variable::Kind::Quotient, unsigned(position - quotients.begin())};
    if (position == quotients.end())
      quotients.push_back(quotient);
    if (interval)
      intervals[variable] = {interval->low / divisor, interval->high / divisor};
    return Polynomial(variable);
  }
  if (!interval || interval->low < 0)
    return Polynomial::unknown();
  auto [position, isNew] = boundedQuotients.try_emplace(quotient);
  if (isNew)
    position->second =
        addBounded({BoundedInteger::Kind::Range, interval->low / divisor,
                    interval->high / divisor},
                   Interval{interval->low / divisor, interval->high / divisor});
  return Polynomial(position->second);
}

/// The rest of a division by a positive number; unknown if it may be negative.
Polynomial LaunchIntegers::getRemainder(const Polynomial &dividend, int64_t divisor) {
  Polynomial quotient = getQuotient(dividend, divisor);
  if (dividend.isOfLaunch())
    return dividend - quotient * divisor;
  std::optional<Interval> interval = getInterval(dividend);
  if (!interval || interval->low < 0)
    return Polynomial::unknown();
  auto [position, isNew] = boundedRemainders.try_emplace({dividend, divisor});
  if (isNew) {
    // All values are multiples of it.
    int64_t step = std::gcd(getDivisor(dividend), divisor);
    int64_t high = std::min(divisor - step, interval->high);
    Polynomial range = getRange(0, high, step);
    position->second = range.getTerms().begin()->first.front();
  }
  return Polynomial(position->second);
}

/// Writes a - d (a / d) as the remainder that it is.
Polynomial LaunchIntegers::withRemainders(Polynomial sum) {
  for (const auto &[quotient, variable] : boundedQuotients) {
    Polynomial::Line line = sum.split(variable);
    std::optional<int64_t> factor = line.slope.getConstant();
    if (!line.isKnown() || !factor || *factor == 0 || *factor % quotient.divisor != 0)
      continue;
    int64_t share = -*factor / quotient.divisor;
    Polynomial others = line.rest - quotient.dividend * share;
    Polynomial shorter =
        others + getRemainder(quotient.dividend, quotient.divisor) * share;
    if (shorter.isKnown() && shorter.getTerms().size() < sum.getTerms().size())
      sum = shorter;
  }
  return sum;
}

/// The smaller or the larger one of two integers.
Polynomial LaunchIntegers::getExtremum(BoundedInteger::Kind kind, const Polynomial &a,
                                       const Polynomial &b) {
  bool isMin = kind == BoundedInteger::Kind::Min;
  Polynomial difference = b - a;
  if (difference.isNonNegative())
    return isMin ? a : b;
  if ((difference * -1).isNonNegative())
    return isMin ? b : a;
  std::optional<Interval> ofA = getInterval(a), ofB = getInterval(b), interval;
  if (ofA && ofB)
    interval =
        isMin ? Interval{std::min(ofA->low, ofB->low), std::min(ofA->high, ofB->high)}
              : Interval{std::max(ofA->low, ofB->low), std::max(ofA->high, ofB->high)};
  if (!a.isKnown() || !b.isKnown())
    return Polynomial::unknown();
  return Polynomial(addBounded({kind, a, b}, interval));
}

/// The value `x` and the known bound of `min(x, bound)` or `max(x, bound)`.
static std::optional<std::pair<Value, Polynomial>>
getBound(Operation *op, llvm::function_ref<Polynomial(Value)> get) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (get(a).isKnown())
    std::swap(a, b);
  Polynomial bound = get(b);
  if (get(a).isKnown() || !bound.isKnown())
    return std::nullopt;
  return std::pair(a, bound);
}

/// An integer between bounds, whatever it is made from, as min(max(x, low), high).
Polynomial LaunchIntegers::getClamped(Operation *op) {
  auto get = [&](Value value) { return this->get(value).value; };
  auto outer = getBound(op, get);
  Operation *other = outer ? outer->first.getDefiningOp() : nullptr;
  if (!other || !isa<ArithMinOp, ArithMaxOp>(other) ||
      other->getName() == op->getName())
    return Polynomial::unknown();
  auto inner = getBound(other, get);
  if (!inner)
    return Polynomial::unknown();
  bool isMin = isa<ArithMinOp>(op);
  const Polynomial &low = isMin ? inner->second : outer->second;
  const Polynomial &high = isMin ? outer->second : inner->second;
  // With a low bound above the high one, the order of the two decides.
  if (!(high - low).isNonNegative())
    return Polynomial::unknown();
  std::optional<Interval> ofLow = getInterval(low), ofHigh = getInterval(high),
                          interval;
  if (ofLow && ofHigh)
    interval = Interval{ofLow->low, ofHigh->high};
  return Polynomial(addBounded({BoundedInteger::Kind::Range, low, high}, interval));
}

static int64_t getNumSubgroups(SubgroupIdOp op, ArrayRef<int32_t> size, int32_t lanes) {
  int64_t count[] = {size[0] / lanes, size[1], 1};
  std::optional<Dimension> dimension = op.getDimension();
  return dimension ? count[unsigned(*dimension)] : count[0] * count[1];
}

/// The id of a work-item in its subgroup, or of the subgroup: each one occurs.
Polynomial LaunchIntegers::getSubgroupNumber(Operation *op) {
  auto func = op->getParentOfType<FuncOp>();
  std::optional<int32_t> lanes = func.getSubgroupSize();
  std::optional<ArrayRef<int32_t>> size = func.getWorkGroupSize();
  Polynomial last = Polynomial::unknown();
  if (lanes) {
    if (isa<SubgroupLocalIdOp>(op))
      last = *lanes - 1;
    else if (size)
      last = getNumSubgroups(cast<SubgroupIdOp>(op), *size, *lanes) - 1;
  }
  if (last.getConstant() == 0)
    return 0;
  BoundedInteger range{BoundedInteger::Kind::Range, 0, last};
  range.takesFirst = range.takesLast = true;
  std::optional<Interval> interval;
  if (std::optional<int64_t> high = last.getConstant())
    interval = Interval{0, *high};
  return Polynomial(addBounded(range, interval));
}

LaunchInteger LaunchIntegers::getArithmetic(Operation *op) {
  auto operand = [&](unsigned number) { return get(op->getOperand(number)); };
  LaunchInteger negative = LaunchInteger::constant(-1);
  if (isa<ArithAddOp, ArithSubOp>(op)) {
    LaunchInteger second = operand(1);
    LaunchInteger sum = operand(0) + (isa<ArithSubOp>(op) ? second * negative : second);
    return {withRemainders(sum.value), sum.dependsOnGroup};
  }
  if (isa<ArithMulOp>(op))
    return operand(0) * operand(1);
  if (isa<ArithNegOp>(op))
    return operand(0) * negative;
  if (isa<CastOp>(op) && isIntegerScalar(op->getOperand(0).getType()))
    return operand(0);
  if (isa<ArithShlOp>(op)) {
    std::optional<int64_t> distance = operand(1).value.getConstant();
    if (distance && 0 <= *distance && *distance < 32)
      return operand(0) * LaunchInteger::constant(int64_t(1) << *distance);
  }
  bool dependsOnGroup = llvm::any_of(
      op->getOperands(), [&](Value each) { return get(each).dependsOnGroup; });
  return {getOtherArithmetic(op), dependsOnGroup};
}

/// The value of an instruction that is no sum of products.
Polynomial LaunchIntegers::getOtherArithmetic(Operation *op) {
  if (isa<SubgroupLocalIdOp, SubgroupIdOp>(op))
    return getSubgroupNumber(op);
  auto operand = [&](unsigned number) { return get(op->getOperand(number)).value; };
  if (isa<ArithMinOp, ArithMaxOp>(op)) {
    if (!operand(0).isKnown() || !operand(1).isKnown())
      return getClamped(op);
    return getExtremum(isa<ArithMinOp>(op) ? BoundedInteger::Kind::Min
                                           : BoundedInteger::Kind::Max,
                       operand(0), operand(1));
  }
  if (isa<ArithAbsOp>(op))
    return getExtremum(BoundedInteger::Kind::Max, operand(0), operand(0) * -1);
  if (!isa<ArithDivOp, ArithRemOp>(op) || !operand(0).isKnown())
    return Polynomial::unknown();
  std::optional<int64_t> divisor = operand(1).getConstant();
  if (!divisor || *divisor < 1)
    return Polynomial::unknown();
  return isa<ArithDivOp>(op) ? getQuotient(operand(0), *divisor)
                             : getRemainder(operand(0), *divisor);
}

void LaunchIntegers::addInteger(Operation *op) {
  LaunchInteger &integer = integers[op->getResult(0)];
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    integer = LaunchInteger::constant(cast<IntegerAttr>(constant.getValue()).getInt());
    return;
  }
  if (auto id = dyn_cast<GroupIdOp>(op)) {
    integer.value = Polynomial(getGroupId(unsigned(id.getDimension())));
    return;
  }
  // The number of groups is not known before the launch is checked; memory and control
  // flow may depend on the group.
  if (isa<GroupSizeOp, LoadOp, AtomicOpInterface>(op) || op->getNumRegions() != 0)
    return;
  LaunchInteger result = getArithmetic(op);
  if (!fits(result.value, op->getResult(0).getType()))
    result.value = Polynomial::unknown();
  integers[op->getResult(0)] = result;
}

void LaunchIntegers::addComparison(Operation *op) {
  Polynomial a = get(op->getOperand(0)).value, b = get(op->getOperand(1)).value;
  // The launch cannot tell whether a side of a comparison has overflowed.
  if (!isExact(a) || !isExact(b))
    return;
  Facts less{{b - a - 1}, true}, greater{{a - b - 1}, true};
  Facts atMost{{b - a}, true}, atLeast{{a - b}, true};
  Facts equal{{a - b, b - a}, true}, different;
  booleans[op->getResult(0)] =
      TypeSwitch<Operation *, LaunchBoolean>(op)
          .Case([&](CmpLtOp) { return LaunchBoolean{less, atLeast}; })
          .Case([&](CmpGeOp) { return LaunchBoolean{atLeast, less}; })
          .Case([&](CmpGtOp) { return LaunchBoolean{greater, atMost}; })
          .Case([&](CmpLeOp) { return LaunchBoolean{atMost, greater}; })
          .Case([&](CmpEqOp) { return LaunchBoolean{equal, different}; })
          .Case([&](CmpNeOp) { return LaunchBoolean{different, equal}; })
          .Default(LaunchBoolean());
}

/// The facts if a launch passes memory for a parameter.
static LaunchBoolean getAssociated(AssociatedOp op) {
  Value root = op.getSource();
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>())
    root = view.getViewSource();
  Facts always{{}, true}, never{{Polynomial(-1)}, true};
  if (isa_and_nonnull<AllocaOp, ConstantOp>(root.getDefiningOp()))
    return {always, never};
  auto parameter = dyn_cast<BlockArgument>(root);
  if (!parameter)
    return {};
  Polynomial isThere(Variable{Variable::Kind::Associated, parameter.getArgNumber()});
  return {{{isThere - 1}, true}, {{isThere * -1}, true}};
}

void LaunchIntegers::addLogic(Operation *op) {
  LaunchBoolean &result = booleans[op->getResult(0)];
  if (auto associated = dyn_cast<AssociatedOp>(op)) {
    result = getAssociated(associated);
    return;
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    bool isTrue = cast<IntegerAttr>(constant.getValue()).getValue().isOne();
    Facts always{{}, true}, never{{Polynomial(-1)}, true};
    result = isTrue ? LaunchBoolean{always, never} : LaunchBoolean{never, always};
    return;
  }
  LaunchBoolean a = getBoolean(op->getOperand(0));
  if (isa<ArithNotOp>(op)) {
    result = {a.ifFalse, a.ifTrue};
    return;
  }
  LaunchBoolean b = getBoolean(op->getOperand(1));
  if (isa<ArithAndOp>(op)) {
    result.ifTrue = a.ifTrue;
    result.ifTrue.append(b.ifTrue);
  } else {
    result.ifFalse = a.ifFalse;
    result.ifFalse.append(b.ifFalse);
  }
}
