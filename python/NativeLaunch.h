//===- NativeLaunch.h - Launches of machine code ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PYTHON_NATIVELAUNCH_H
#define TINYTC_PYTHON_NATIVELAUNCH_H

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tinytc {

/// Runs all work-groups of a kernel in machine code, without Python. `values` are the
/// bits of each argument, and whether it is a real number; `sizes` are the numbers of
/// work-groups.
void runKernel(uintptr_t function, const std::vector<std::pair<uint64_t, bool>> &values,
               const std::array<int64_t, 3> &sizes, size_t localBytes,
               int64_t numThreads);

} // namespace tinytc

/// Defines the class NativeLaunch of a Python extension.
void defineNativeLaunch(nanobind::module_ &m);

/// Defines the class Overlaps of a Python extension.
void defineOverlaps(nanobind::module_ &m);

/// Defines the classes Plan and Rules of a Python extension.
void defineRules(nanobind::module_ &m);

/// Defines the functions of a Python extension for kernels in programs of XLA.
void defineXlaCall(nanobind::module_ &m);

#endif // TINYTC_PYTHON_NATIVELAUNCH_H
