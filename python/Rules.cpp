//===- Rules.cpp - The rules of a launch ----------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Evaluates what a manifest says of sizes, scalars and numbers of groups.
//
//===----------------------------------------------------------------------===//

#include "NativeLaunch.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace nb = nanobind;

namespace {

#include "tinytc_mlir/runtime/bounds/checks.c"

using Integers = std::vector<int64_t>;
using Counts = std::array<int64_t, 3>;

/// The tables of a kernel, and its number of parameters.
struct Plan {
  Integers words;
  size_t parameters;
};

/// The number of a group, and the sizes of its members.
using Members = std::tuple<size_t, std::vector<Integers>>;

/// The rules of a kernel and the values of a launch.
class Rules {
public:
  Rules(const Plan &plan, Integers given, const std::vector<size_t> &missing,
        std::vector<Members> groups, Integers availableBytes)
      : values(std::move(given)), groups(std::move(groups)),
        available(std::move(availableBytes)), read(plan.parameters),
        flags(plan.parameters), rows(this->groups.size()), members(plan.parameters) {
    for (size_t parameter : missing)
      flags[parameter] = MISSING;
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto &[parameter, sizes] = this->groups[i];
      for (const Integers &row : sizes) {
        rows[i].push_back(row.data());
        if (std::adjacent_find(row.begin(), row.end(), std::not_equal_to<>()) !=
            row.end())
          flags[parameter] |= MIXED;
      }
      members[parameter] = {sizes.empty() ? 0 : static_cast<int64_t>(sizes[0].size()),
                            rows[i].data()};
    }
    launch = {plan.words.data(), values.data(), available.data(),
              members.data(),    flags.data(),  read.data(),
              {1, 1, 1},         {1, 1, 1},     -1};
  }
  Rules(const Rules &) = delete;
  Rules &operator=(const Rules &) = delete;

  int64_t sum(int64_t place) const { return sum_of(&launch, place); }

  /// The verdicts on pairs of sizes and then on bounds; none if all rules hold.
  std::vector<int> verdicts(const Integers &sizes, const Integers &bounds,
                            const Counts &counts, const Counts &others) {
    setCounts(counts, others);
    std::vector<int> found;
    for (int64_t rule : sizes)
      found.push_back(check_sizes(&launch, launch.plan + rule));
    for (int64_t rule : bounds)
      found.push_back(check_bound(&launch, launch.plan + rule));
    bool hold =
        std::all_of(found.begin(), found.end(), [](int v) { return v == HOLDS; });
    return hold ? std::vector<int>() : found;
  }

  /// The number of groups that a bound certainly allows, with its conditions or
  /// without.
  std::optional<int64_t> most(int64_t bound, const Counts &others,
                              bool asksConditions) {
    setCounts({1, 1, 1}, others);
    const int64_t *rule = launch.plan + bound;
    wide found = most_groups(&launch, rule, asksConditions);
    if (found == NO_LIMIT || any_has(&launch, rule[NEEDED], MISSING) ||
        any_has(&launch, rule[SIZED], MIXED) ||
        (found == 0 && stays_in_memory(&launch, rule)))
      return std::nullopt;
    return static_cast<int64_t>(std::min<wide>(found, INT64_MAX));
  }

  /// The index of a bound for a group.
  int64_t index(int64_t bound, int64_t group, const Counts &others) {
    setCounts({1, 1, 1}, others);
    const int64_t *rule = launch.plan + bound;
    return static_cast<int64_t>(sum_of(&launch, rule[SLOPE]) * wide(group) +
                                start_of(&launch, rule));
  }

  bool mayLeave(int64_t bound, const Counts &counts) {
    setCounts(counts, counts);
    return may_leave(&launch, launch.plan + bound);
  }

  int64_t bytesRead(size_t parameter) const { return read.at(parameter); }

private:
  void setCounts(const Counts &counts, const Counts &others) {
    std::copy(counts.begin(), counts.end(), launch.counts);
    std::copy(others.begin(), others.end(), launch.others);
  }

  Integers values;
  std::vector<Members> groups;
  Integers available, read;
  std::vector<unsigned char> flags;
  std::vector<std::vector<const int64_t *>> rows;
  std::vector<struct members> members;
  struct launch launch;
};

} // namespace

void defineRules(nb::module_ &m) {
  nb::class_<Plan>(m, "Plan", "The tables of the rules of a kernel.")
      .def(
          "__init__",
          [](Plan *plan, Integers words, size_t parameters) {
            new (plan) Plan{std::move(words), parameters};
          },
          nb::arg("words"), nb::arg("parameters"));
  nb::class_<Rules>(m, "Rules", "The rules of a kernel for the values of a launch.")
      .def(nb::init<const Plan &, Integers, std::vector<size_t>, std::vector<Members>,
                    Integers>(),
           nb::arg("plan"), nb::arg("values"), nb::arg("missing"), nb::arg("members"),
           nb::arg("available"), nb::keep_alive<1, 2>())
      .def("sum", &Rules::sum, nb::arg("place"), "Returns the value of a sum.")
      .def("verdicts", &Rules::verdicts, nb::arg("sizes"), nb::arg("bounds"),
           nb::arg("counts"), nb::arg("others"),
           "Returns the verdicts on pairs of sizes and then on bounds; none if all "
           "hold.")
      .def("most", &Rules::most, nb::arg("bound"), nb::arg("others"),
           nb::arg("asks_conditions") = true,
           "Returns the number of groups that a bound allows, None if any number.")
      .def("index", &Rules::index, nb::arg("bound"), nb::arg("group"),
           nb::arg("others"), "Returns the index of a bound for a group.")
      .def("may_leave", &Rules::mayLeave, nb::arg("bound"), nb::arg("counts"),
           "Returns whether accesses may be outside.")
      .def("bytes_read", &Rules::bytesRead, nb::arg("parameter"),
           "Returns how many bytes loads of blocks read of an array's memory.");
}
