//===- CopyElements.h - Copies of arrays with other strides -----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PYTHON_COPYELEMENTS_H
#define TINYTC_PYTHON_COPYELEMENTS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tinytc {

/// A mode of two arrays of the same shape: its size, and the strides in bytes.
struct Mode {
  ptrdiff_t size, target, source;
};

/// Copies elements on at most `numThreads` threads. The arrays have no element in
/// common.
///
/// \param itemBytes size of an element: 1, 2, 4, 8 or 16.
void copyElements(char *target, const char *source, std::vector<Mode> modes,
                  ptrdiff_t itemBytes, int64_t numThreads);

} // namespace tinytc

#endif // TINYTC_PYTHON_COPYELEMENTS_H
