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

/// Copies from global into local memory that work-items do not wait for.
struct AsyncCopies {
  /// Bytes of the largest copy, and of the smallest one; 0: there are none.
  int64_t mostBytes = 0, leastBytes = 0;
  /// Registers and bytes of local memory of a core, those of the latter that each
  /// work-group takes besides its own, and the most threads.
  int64_t coreRegisters = 0, coreLocalBytes = 0, reservedBytes = 0, coreThreads = 0;
  /// Cycles until bytes from memory are there while all cores load, and bytes that a
  /// core then gets in a cycle. 0: unknown, and no product is computed with such copies
  /// unless its strategy says so.
  double latencyCycles = 0, memoryBytesPerCycle = 0;
  /// Bytes that the first cache and local memory return in a cycle, and multiply-adds
  /// of f32 of a core.
  double cacheBytesPerCycle = 0, fmasPerCycle = 0;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_WARPS_H
