//===- LaunchIntegers.cpp - Values in terms of a launch -------------------===//

#include "lib/Analysis/LaunchIntegers.h"

#include "llvm/ADT/TypeSwitch.h"

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

bool LaunchIntegers::isExact(const Polynomial &polynomial) const {
  return polynomial.isSmall() &&
         llvm::all_of(polynomial.getTerms(), [&](const auto &term) {
           return term.first.empty() ||
                  term.first.front().kind != Variable::Kind::Loop ||
                  getInterval(term.first.front());
         });
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

Variable LaunchIntegers::addLoopVariable(Value value, Value from, Value to) {
  LaunchInteger first = get(from), end = get(to);
  Variable variable{Variable::Kind::Loop, numLoops++};
  integers[value] = {Polynomial(variable), first.dependsOnGroup || end.dependsOnGroup};
  std::optional<Interval> interval = getInterval(value.getType());
  std::optional<Interval> firstRange = getInterval(first.value);
  std::optional<Interval> endRange = getInterval(end.value);
  if (firstRange && endRange)
    interval = Interval{firstRange->low, std::max(firstRange->low, endRange->high)};
  if (interval && llvm::isInt<34>(interval->low) && llvm::isInt<34>(interval->high))
    intervals[variable] = *interval;
  return variable;
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
  else if (type.isInteger(1) && isa<ConstantOp, ArithNotOp, ArithAndOp, ArithOrOp>(op))
    addLogic(op);
  else if (isIntegerScalar(type))
    addInteger(op);
}

LaunchInteger LaunchIntegers::getArithmetic(Operation *op) const {
  auto operand = [&](unsigned number) { return get(op->getOperand(number)); };
  LaunchInteger negative = LaunchInteger::constant(-1);
  if (isa<ArithAddOp>(op))
    return operand(0) + operand(1);
  if (isa<ArithSubOp>(op))
    return operand(0) + operand(1) * negative;
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
  return {};
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
  if (result.value.isKnown() && fits(result.value, op->getResult(0).getType()))
    integer = result;
  else
    integer.dependsOnGroup = llvm::any_of(
        op->getOperands(), [&](Value operand) { return get(operand).dependsOnGroup; });
}

static Facts joinFacts(const Facts &a, const Facts &b) {
  if (!a || !b)
    return std::nullopt;
  Facts both = a;
  llvm::append_range(*both, *b);
  return both;
}

void LaunchIntegers::addComparison(Operation *op) {
  Polynomial a = get(op->getOperand(0)).value, b = get(op->getOperand(1)).value;
  // The launch cannot tell whether a side of a comparison has overflowed.
  if (!isExact(a) || !isExact(b))
    return;
  using List = std::vector<Polynomial>;
  List less{b - a - 1}, greater{a - b - 1}, atMost{b - a}, atLeast{a - b};
  List equal{a - b, b - a};
  booleans[op->getResult(0)] =
      TypeSwitch<Operation *, LaunchBoolean>(op)
          .Case([&](CmpLtOp) { return LaunchBoolean{less, atLeast}; })
          .Case([&](CmpGeOp) { return LaunchBoolean{atLeast, less}; })
          .Case([&](CmpGtOp) { return LaunchBoolean{greater, atMost}; })
          .Case([&](CmpLeOp) { return LaunchBoolean{atMost, greater}; })
          .Case([&](CmpEqOp) { return LaunchBoolean{equal, std::nullopt}; })
          .Case([&](CmpNeOp) { return LaunchBoolean{std::nullopt, equal}; })
          .Default(LaunchBoolean());
}

void LaunchIntegers::addLogic(Operation *op) {
  LaunchBoolean &result = booleans[op->getResult(0)];
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    bool isTrue = cast<IntegerAttr>(constant.getValue()).getValue().isOne();
    Facts always = std::vector<Polynomial>();
    Facts never = std::vector<Polynomial>{Polynomial(-1)};
    result = isTrue ? LaunchBoolean{always, never} : LaunchBoolean{never, always};
    return;
  }
  LaunchBoolean a = getBoolean(op->getOperand(0));
  if (isa<ArithNotOp>(op)) {
    result = {a.ifFalse, a.ifTrue};
    return;
  }
  LaunchBoolean b = getBoolean(op->getOperand(1));
  if (isa<ArithAndOp>(op))
    result = {joinFacts(a.ifTrue, b.ifTrue), std::nullopt};
  else
    result = {std::nullopt, joinFacts(a.ifFalse, b.ifFalse)};
}
