//===- LaunchIntegers.h - Values in terms of a launch -----------*- C++ -*-===//

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

/// What is known of an integer.
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

/// Polynomials that are not negative; nothing if it is not known what holds.
using Facts = std::optional<std::vector<Polynomial>>;

/// What holds if a boolean is true, and if it is false.
struct LaunchBoolean {
  Facts ifTrue, ifFalse;
};

/// The integers and booleans of a kernel. Operations must be added in the order of
/// execution.
class LaunchIntegers {
public:
  /// Adds a parameter if it is an integer.
  void addParameter(BlockArgument parameter);
  /// Adds the variable of a loop over [from, to).
  Variable addLoopVariable(Value value, Value from, Value to);
  /// Adds the result of an operation if it is an integer or a boolean.
  void addResult(Operation *op);
  void set(Value value, LaunchInteger integer) { integers[value] = integer; }

  LaunchInteger get(Value value) const { return integers.lookup(value); }
  /// Constants and, where they are kDynamic, values.
  std::vector<LaunchInteger> get(ArrayRef<int64_t> constants, ValueRange values) const;
  LaunchBoolean getBoolean(Value value) const { return booleans.lookup(value); }
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
  LaunchInteger getArithmetic(Operation *op) const;
  void addInteger(Operation *op);
  void addComparison(Operation *op);
  void addLogic(Operation *op);

  DenseMap<Value, LaunchInteger> integers;
  DenseMap<Value, LaunchBoolean> booleans;
  /// Of parameters and loop variables, where it is known.
  std::map<Variable, Interval> intervals;
  unsigned numLoops = 0;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_LAUNCHINTEGERS_H
