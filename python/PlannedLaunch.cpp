//===- PlannedLaunch.cpp - Launches by addresses alone --------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of PyTorch and JAX check a launch once for all arrays that look alike, and
// pass no more than addresses from then on.
//
//===----------------------------------------------------------------------===//

#include "PlannedLaunch.h"
#include "NativeLaunch.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;
using tinytc::PlannedLaunch;

/// As many values of scalars are remembered for a kernel.
constexpr size_t kMostAccepted = 4096;

// Addresses are integers to all callers. NOLINTBEGIN(performance-no-int-to-ptr)

std::string PlannedLaunch::run(const std::vector<uint64_t> &given) {
  for (size_t i = 0; i < divisors.size(); ++i)
    if (given[i] % divisors[i])
      return "expected an address that is a multiple of " +
             std::to_string(divisors[i]) + ", got one with the remainder " +
             std::to_string(given[i] % divisors[i]);
  Values values;
  values.reserve(slots.size());
  for (auto [source, value, begin, bytes, isReal] : slots) {
    uint64_t bits = Source(source) == Source::Constant ? value : 0;
    if (Source(source) == Source::Given)
      bits = given[value];
    else if (Source(source) == Source::Contents)
      std::memcpy(&bits, reinterpret_cast<const char *>(given[value]) + begin, bytes);
    values.emplace_back(bits, isReal);
  }
  std::string fault = findFault(values);
  if (!fault.empty())
    return fault;
  for (auto [number, bytes] : zeros)
    std::memset(reinterpret_cast<void *>(given[number]), 0, bytes);
  runKernel(function, values, sizes, localBytes, numThreads);
  return "";
}

// NOLINTEND(performance-no-int-to-ptr)

std::string PlannedLaunch::findFault(const Values &values) {
  if (checked.empty())
    return "";
  std::vector<uint64_t> bits;
  for (size_t position : checked)
    bits.push_back(values[position].first);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (accepted.count(bits))
      return "";
  }
  nb::gil_scoped_acquire acquire;
  try {
    nb::object fault = check(bits);
    if (!fault.is_none())
      return nb::cast<std::string>(fault);
  } catch (const std::exception &error) {
    return error.what();
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (accepted.size() == kMostAccepted)
    accepted.clear();
  accepted.insert(std::move(bits));
  return "";
}

void definePlannedLaunch(nb::module_ &m) {
  nb::class_<PlannedLaunch>(m, "PlannedLaunch", "Launches that differ in addresses.")
      .def(nb::new_([](uintptr_t function, std::vector<PlannedLaunch::Slot> slots,
                       std::array<int64_t, 3> sizes, size_t localBytes,
                       int64_t numThreads, std::vector<uint64_t> divisors,
                       std::vector<std::pair<size_t, size_t>> zeros,
                       std::vector<size_t> checked, nb::object check, nb::object code) {
             auto planned = std::make_shared<PlannedLaunch>();
             planned->function = function;
             planned->slots = std::move(slots);
             planned->sizes = sizes;
             planned->localBytes = localBytes;
             planned->numThreads = numThreads;
             planned->divisors = std::move(divisors);
             planned->zeros = std::move(zeros);
             planned->checked = std::move(checked);
             planned->check = std::move(check);
             planned->code = std::move(code);
             return planned;
           }),
           nb::arg("function"), nb::arg("slots"), nb::arg("sizes"),
           nb::arg("local_bytes"), nb::arg("threads"), nb::arg("divisors"),
           nb::arg("zeros"), nb::arg("checked"), nb::arg("check"), nb::arg("code"))
      .def_ro("slots", &PlannedLaunch::slots, "Where each argument comes from.")
      .def(
          "run",
          [](PlannedLaunch &planned, const std::vector<uint64_t> &given) {
            if (given.size() != planned.divisors.size())
              throw nb::value_error("expected as many integers as divisors");
            nb::gil_scoped_release release;
            return planned.run(given);
          },
          nb::arg("given"),
          "Runs the kernel with addresses and other integers; returns what is wrong "
          "with "
          "them, nothing if it has run.");
}
