//===- PlannedLaunch.h - Launches by addresses alone ------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PYTHON_PLANNEDLAUNCH_H
#define TINYTC_PYTHON_PLANNEDLAUNCH_H

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tinytc {

/// What is the same for all launches of a kernel with arrays that differ only in where
/// they are.
class PlannedLaunch {
public:
  /// Where an argument of the kernel comes from: a constant, what is given, or bytes at
  /// an address that is given.
  enum class Source { Constant, Given, Contents };
  /// The source of an argument, its bits or the number of what is given, the first byte
  /// and the number of bytes there, and whether it is a real number.
  using Slot = std::tuple<int, uint64_t, size_t, size_t, bool>;
  using Values = std::vector<std::pair<uint64_t, bool>>;

  uintptr_t function;
  std::vector<Slot> slots;
  std::array<int64_t, 3> sizes;
  size_t localBytes;
  int64_t numThreads;
  /// What each number that is given is a multiple of.
  std::vector<uint64_t> divisors;
  /// Numbers of the arrays that are 0 before, and their bytes.
  std::vector<std::pair<size_t, size_t>> zeros;
  /// The arguments that a launch checks, and the function of Python that does: it takes
  /// their bits and returns what is wrong with them, or None.
  std::vector<size_t> checked;
  nanobind::object check;
  /// What must stay alive.
  nanobind::object code;

  /// Runs the kernel with addresses and other integers; returns what is wrong with
  /// them, nothing if it has run. The caller need not hold the lock of Python.
  std::string run(const std::vector<uint64_t> &given);

private:
  /// Returns what is wrong with the arguments, nothing if they are right.
  std::string findFault(const Values &values);

  std::mutex mutex;
  /// Bits that the function of Python has accepted.
  std::set<std::vector<uint64_t>> accepted;
};

using Planned = std::shared_ptr<PlannedLaunch>;

} // namespace tinytc

/// Defines the class PlannedLaunch of a Python extension.
void definePlannedLaunch(nanobind::module_ &m);

#endif // TINYTC_PYTHON_PLANNEDLAUNCH_H
