//===- Driver.h - Habits of the drivers that take SPIR-V --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DRIVER_H
#define TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DRIVER_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// Habits of the compiler that gets SPIR-V, which only the passes and patterns of this
/// folder ask for. The defaults are those of one without any.
struct Driver {
  /// Whether loops should count in 32 bits, as numbers of 64 bits take more
  /// instructions.
  bool countsIn32Bits = false;
  /// Whether addresses that differ by a constant only share their computation if it
  /// says so.
  bool sharesBaseAddresses = false;
  /// Whether a function named like LLVM's intrinsic that fetches a line into the cache
  /// is that intrinsic.
  bool keepsPrefetches = false;
  /// Whether the driver moves conditions on the lane out of loops, merges them, and
  /// then loses them for some of the stores (docs/decisions/cpu-driver.md).
  bool movesLaneConditions = false;
  /// Whether the driver keeps a negated number once for all work-items where a barrier
  /// separates its definition from its use (docs/decisions/cpu-driver.md).
  bool sharesNegations = false;
  /// Whether the driver fails on elements of 8 and 16 bits that lanes load a constant
  /// distance apart (docs/decisions/cpu-driver.md).
  bool failsOnStridedBytes = false;
  /// Whether the driver fails on functions of a subgroup whose operand is the same in
  /// all lanes (docs/decisions/cpu-driver.md).
  bool failsOnSharedExchanges = false;
  /// Whether the driver loses the mask of lanes where it finds that the first lane
  /// alone may run (docs/decisions/cpu-driver.md).
  bool losesMasksOfFirstLanes = false;
  /// Whether the driver takes 0 / 0 for 0 in elements of a vector that it knows.
  bool losesNaN = false;
  /// Whether the driver compiles LLVM's intrinsic of a fused multiply-add in less time
  /// than OpenCL's function, to the same instruction, which the processor must have.
  bool prefersFmaIntrinsic = false;
  /// Whether functions of a subgroup are undefined where some of its lanes do not run
  /// them, as SPIR-V says. That of the CPU computes them over the lanes that run.
  bool needsWholeSubgroups = false;
  /// Whether the driver writes atomic updates once for each lane, with branches.
  bool unrollsAtomics = false;
};

/// The habits of the driver for a target; none for one that takes no SPIR-V.
Driver getDriver(TargetAttr target);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DRIVER_H
