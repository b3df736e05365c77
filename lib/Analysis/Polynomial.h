//===- Polynomial.h - Integers in terms of a launch -------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// An index in terms of group ids, sizes and scalar arguments. Upstream's
// AffineExpr has neither products of symbols, such as an id times a size, nor checks
// for overflow.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_POLYNOMIAL_H
#define TINYTC_LIB_ANALYSIS_POLYNOMIAL_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace mlir::tinytc {

/// An integer that differs between launches, groups or iterations.
struct Variable {
  enum class Kind {
    GroupId,    ///< `number` is the dimension
    Scalar,     ///< value of parameter `number`
    Size,       ///< size of mode `mode` of parameter `number`
    Stride,     ///< stride of mode `mode` of parameter `number`
    Members,    ///< number of members of parameter `number`
    MemberSize, ///< size of mode `mode` of a member of parameter `number`
    Associated, ///< 1 if a launch passes memory for parameter `number`, else 0
    Quotient,   ///< quotient `number` of LaunchIntegers
    Bounded     ///< bounded integer `number` of LaunchIntegers
  };
  Kind kind;
  unsigned number;
  unsigned mode = 0;
  /// Of the size of a member: tells loads of different members apart.
  unsigned load = 0;

  /// Whether the host knows it at a launch.
  bool isOfLaunch() const { return kind != Kind::GroupId && kind != Kind::Bounded; }

  bool operator<(const Variable &other) const {
    return std::tie(kind, number, mode, load) <
           std::tie(other.kind, other.number, other.mode, other.load);
  }
  bool operator==(const Variable &other) const {
    return std::tie(kind, number, mode, load) ==
           std::tie(other.kind, other.number, other.mode, other.load);
  }
};

/// A polynomial with integer coefficients, or nothing known.
class Polynomial {
public:
  /// The variables of a product in ascending order, with repetitions; none for 1.
  using Product = std::vector<Variable>;
  using Terms = std::map<Product, int64_t>;

  Polynomial(int64_t constant = 0);
  explicit Polynomial(Variable variable) : terms{{Product{variable}, 1}} {}
  static Polynomial unknown();

  bool isKnown() const { return known; }
  /// Coefficients of products, none of them 0.
  const Terms &getTerms() const { return terms; }
  /// The number if no variable occurs.
  std::optional<int64_t> getConstant() const;
  /// Whether no value of the variables makes it negative.
  bool isNonNegative() const;
  bool contains(Variable variable) const;
  /// Whether a variable occurs for which the predicate holds.
  bool any(llvm::function_ref<bool(const Variable &)> predicate) const;
  /// Whether the host knows the value at a launch.
  bool isOfLaunch() const;
  /// Whether no term is a product of variables, and coefficients are so small that 64
  /// bits hold the value if no variable has more than 40 bits.
  bool isSmall() const;

  /// slope * variable + rest; both unknown if the polynomial is not linear in it.
  struct Line;
  Line split(Variable variable) const;

  /// Unknown if a coefficient overflows or there are too many terms.
  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator<(const Polynomial &other) const {
    return std::tie(known, terms) < std::tie(other.known, other.terms);
  }
  bool operator==(const Polynomial &other) const {
    return known == other.known && terms == other.terms;
  }

private:
  void add(const Product &product, int64_t coefficient);

  bool known = true;
  Terms terms;
};

struct Polynomial::Line {
  Polynomial slope, rest;
  bool isKnown() const { return slope.isKnown() && rest.isKnown(); }
  bool operator<(const Line &other) const {
    return std::tie(slope, rest) < std::tie(other.slope, other.rest);
  }
  bool operator==(const Line &other) const {
    return slope == other.slope && rest == other.rest;
  }
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_POLYNOMIAL_H
