//===- Polynomial.cpp - Integers in terms of a launch ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Polynomial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// More terms, or longer products, are no index that somebody wrote.
static constexpr size_t kMaxTerms = 16;
static constexpr size_t kMaxFactors = 3;

// Of small polynomials: 16 terms of 18 + 40 bits fit 63.
static constexpr int64_t kMaxCoefficient = int64_t(1) << 18;
static constexpr int64_t kMaxConstant = int64_t(1) << 40;

Polynomial::Polynomial(int64_t constant) { add({}, constant); }

Polynomial Polynomial::unknown() {
  Polynomial result;
  result.known = false;
  return result;
}

void Polynomial::add(const Product &product, int64_t coefficient) {
  if (!known || coefficient == 0)
    return;
  int64_t &sum = terms[product];
  if (llvm::AddOverflow(sum, coefficient, sum) ||
      sum == std::numeric_limits<int64_t>::min() || product.size() > kMaxFactors ||
      terms.size() > kMaxTerms)
    *this = unknown();
  else if (sum == 0)
    terms.erase(product);
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (!known || terms.size() > 1)
    return std::nullopt;
  if (terms.empty())
    return 0;
  auto [product, coefficient] = *terms.begin();
  return product.empty() ? std::optional(coefficient) : std::nullopt;
}

/// Scalars may be negative, and loops may start below 0.
static bool isNaturalVariable(const Variable &variable) {
  return variable.kind != Variable::Kind::Scalar &&
         variable.kind != Variable::Kind::Quotient &&
         variable.kind != Variable::Kind::Bounded;
}

bool Polynomial::isNonNegative() const {
  return known && llvm::all_of(terms, [](const auto &term) {
           return term.second > 0 && llvm::all_of(term.first, isNaturalVariable);
         });
}

bool Polynomial::any(llvm::function_ref<bool(const Variable &)> predicate) const {
  return llvm::any_of(
      terms, [&](const auto &term) { return llvm::any_of(term.first, predicate); });
}

bool Polynomial::contains(Variable variable) const {
  return any([&](const Variable &each) { return each == variable; });
}

bool Polynomial::isOfLaunch() const {
  return known && !any([](const Variable &each) { return !each.isOfLaunch(); });
}

bool Polynomial::isSmall() const {
  return known && llvm::all_of(terms, [](const auto &term) {
           int64_t most = term.first.empty() ? kMaxConstant : kMaxCoefficient;
           return term.first.size() <= 1 && std::abs(term.second) <= most;
         });
}

Polynomial::Line Polynomial::split(Variable variable) const {
  Line line;
  if (!known)
    return {unknown(), unknown()};
  for (const auto &[product, coefficient] : terms) {
    Product others = product;
    llvm::erase(others, variable);
    size_t degree = product.size() - others.size();
    if (degree > 1)
      return {unknown(), unknown()};
    (degree == 1 ? line.slope : line.rest).add(others, coefficient);
  }
  return line;
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  if (!known || !other.known)
    return unknown();
  Polynomial sum = *this;
  for (const auto &[product, coefficient] : other.terms)
    sum.add(product, coefficient);
  return sum;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * -1;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  if (!known || !other.known)
    return unknown();
  Polynomial result;
  for (const auto &[productA, coefficientA] : terms) {
    for (const auto &[productB, coefficientB] : other.terms) {
      Product product = productA;
      llvm::append_range(product, productB);
      llvm::sort(product);
      int64_t coefficient;
      if (llvm::MulOverflow(coefficientA, coefficientB, coefficient))
        return unknown();
      result.add(product, coefficient);
    }
  }
  return result;
}
