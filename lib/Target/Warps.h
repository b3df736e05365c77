//===- Warps.h - What runs in warps --------------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TARGET_WARPS_H
#define TINYTC_LIB_TARGET_WARPS_H

#include <cstdint>

namespace mlir::tinytc {

/// How work-items are started on GPUs whose subgroups are parts of warps.
struct Warps {
  /// Work-items that are started at once, whatever the subgroup size; 0: those of a
  /// subgroup.
  int32_t lanes = 0;
  /// Work-groups that a core runs at once, however small they are, if groups can lie
  /// side by side in one; else 0. Work-items that such a work-group then has, and bytes
  /// from memory that all of a core wait for together, at least.
  int64_t maxWorkGroupsOfCore = 0, sharedWorkGroupItems = 0, bytesInFlight = 0;
  /// Whether an instruction adds to a number of bf16 in memory, as for f16.
  bool addsBF16Atomically = false;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_WARPS_H
