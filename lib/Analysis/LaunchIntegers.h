//===- LaunchIntegers.h - Values in terms of a launch -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_LAUNCHINTEGERS_H
#define TINYTC_LIB_ANALYSIS_LAUNCHINTEGERS_H

#include "dialect/TinyTC.h"
#include "lib/Analysis/Polynomial.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::tinytc {

/// Dimensions of the grid of groups.
inline constexpr unsigned kNumDimensions = 3;

/// The id of a group in a dimension.
inline constexpr Variable getGroupId(unsigned dimension) {
  return {Variable::Kind::GroupId, dimension};
}

/// The facts about an integer.
struct LaunchInteger {
  Polynomial value = Polynomial::unknown();
  /// Whether it may differ between groups, if it is not known.
  bool dependsOnGroup = true;

  static LaunchInteger constant(int64_t number) { return {Polynomial(number), false}; }
  LaunchInteger operator+(const LaunchInteger &other) const {
    return {value + other.value, dependsOnGroup || other.dependsOnGroup};
  }
  LaunchInteger operator*(const LaunchInteger &other) const {
    return {value * other.value, dependsOnGroup || other.dependsOnGroup};
  }
};

/// Polynomials that are not negative.
struct Facts {
  std::vector<Polynomial> list;
  /// Whether that is all that must hold; else there are more conditions.
  bool areAll = false;

  void append(const Facts &other) {
    llvm::append_range(list, other.list);
    areAll &= other.areAll;
  }
};

/// The facts if a boolean is true, and if it is false.
struct LaunchBoolean {
  Facts ifTrue, ifFalse;
};

/// An integer that takes several values while a group runs, or one that is no sum of
/// products.
struct BoundedInteger {
  enum class Kind { Range, Min, Max };
  Kind kind = Kind::Range;
  /// The ends of a range; else the integers of which it is the smaller or larger one.
  Polynomial first, last;
  /// Whether a range takes its ends, if it is not empty.
  bool takesFirst = false, takesLast = false;
  /// All values of a range are `first` and multiples of this.
  int64_t step = 1;
  bool isLoop = false;
  /// Whether it has at most 40 bits if no value of the launch has more than 38.
  bool isNarrow = false;
};

/// Integer division of what the host knows at a launch by a positive number, rounded
/// to 0.
struct LaunchQuotient {
  Polynomial dividend;
  int64_t divisor;
  bool operator<(const LaunchQuotient &other) const {
    return std::tie(dividend, divisor) < std::tie(other.dividend, other.divisor);
  }
};

/// The integers and booleans of a kernel. Operations must be added in the order of
/// execution.
class LaunchIntegers {
public:
  /// Adds a parameter if it is an integer.
  void addParameter(BlockArgument parameter);
  /// Adds the variable of a loop over [from, to); the step is not known if it is not
  /// constant.
  Variable addLoopVariable(Value value, Value from, Value to,
                           std::optional<int64_t> step);
  /// Adds how large a tile is, at most `size`.
  void addExtent(Value value, int64_t size);
  /// Adds the result of an operation if it is an integer or a boolean.
  void addResult(Operation *op);
  void set(Value value, LaunchInteger integer) { integers[value] = integer; }

  LaunchInteger get(Value value) const { return integers.lookup(value); }
  /// Constants and, where they are kDynamic, values.
  std::vector<LaunchInteger> get(ArrayRef<int64_t> constants, ValueRange values) const;
  LaunchBoolean getBoolean(Value value) const { return booleans.lookup(value); }
  const BoundedInteger &getBounded(Variable variable) const {
    return bounded[variable.number];
  }
  ArrayRef<LaunchQuotient> getQuotients() const { return quotients; }
  /// Whether 64 bits certainly hold the polynomial if no value that the host knows at
  /// the launch has more than 38 bits.
  bool isExact(const Polynomial &polynomial) const;

private:
  /// Smallest and largest value.
  struct Interval {
    int64_t low, high;
  };

  static std::optional<Interval> getInterval(Type type);
  std::optional<Interval> getInterval(Variable variable) const;
  std::optional<Interval> getInterval(const Polynomial &polynomial) const;
  bool fits(const Polynomial &polynomial, Type type) const;
  bool isNarrow(Variable variable) const;
  bool isNarrow(const Polynomial &polynomial) const;
  int64_t getDivisor(const Polynomial &polynomial) const;

  Variable addBounded(BoundedInteger integer, std::optional<Interval> interval);
  Polynomial getRange(int64_t low, int64_t high, int64_t step = 1);
  Polynomial getQuotient(const Polynomial &dividend, int64_t divisor);
  Polynomial getRemainder(const Polynomial &dividend, int64_t divisor);
  Polynomial getExtremum(BoundedInteger::Kind kind, const Polynomial &a,
                         const Polynomial &b);
  Polynomial getClamped(Operation *op);
  Polynomial withRemainders(Polynomial sum);
  Polynomial getSubgroupNumber(Operation *op);
  LaunchInteger getArithmetic(Operation *op);
  Polynomial getOtherArithmetic(Operation *op);
  void addInteger(Operation *op);
  void addComparison(Operation *op);
  void addLogic(Operation *op);

  DenseMap<Value, LaunchInteger> integers;
  DenseMap<Value, LaunchBoolean> booleans;
  std::vector<BoundedInteger> bounded;
  std::vector<LaunchQuotient> quotients;
  /// Quotients and remainders that are bounded integers.
  std::map<LaunchQuotient, Variable> boundedQuotients, boundedRemainders;
  /// Of parameters, bounded integers and quotients, where it is known.
  std::map<Variable, Interval> intervals;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_LAUNCHINTEGERS_H
