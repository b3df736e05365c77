//===- Driver.h - What a driver does in its own way ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TARGET_DRIVER_H
#define TINYTC_LIB_TARGET_DRIVER_H

#include <cstdint>

namespace mlir::tinytc {

/// Habits of the compiler that gets what a kernel becomes. The defaults are those of
/// one without any.
struct Driver {
  /// Whether the driver gains from unrolling loops further. That of a CPU takes up to
  /// twice the time, without gain.
  bool unrolls = true;
  /// How often the driver repeats the body of a loop whose trip count only the driver
  /// knows.
  int64_t unrollFactor = 1;
  /// Ops of a kernel, beyond constants and indices, that unrolling may lead to: the
  /// time that the driver needs to compile it grows faster than its size.
  int64_t maxUnrolledOps = 0;
  /// Registers that instructions on coopmatrices compute in a kernel which writes them
  /// out: a compiler that allocates registers for more takes seconds. 0: any number.
  int64_t maxWrittenOut = 0;
  /// Whether loops should count in 32 bits, as numbers of 64 bits take more
  /// instructions.
  bool countsIn32Bits = false;
  /// Whether addresses that differ by a constant only share their computation if it
  /// says so.
  bool sharesBaseAddresses = false;
  /// Whether products fetch the matrices of the next group into the cache, and the
  /// driver keeps an instruction for that (docs/decisions/prefetch.md).
  bool fetchesNextGroup = false;
  /// Whether a launch is a loop over all groups, and not only a work-group over some.
  bool runsGroupsInTurn = false;
  /// Whether products that a kernel repeats become calls of a function, since its
  /// driver takes long to compile each (docs/decisions/repeated-products.md).
  bool callsProducts = false;
  /// The most lanes between which the driver exchanges elements of 4 bytes in vector
  /// registers; between more, it does so one by one.
  int64_t maxExchangingLanes = 0;
  /// Whether lanes that read pairs of adjacent elements of 4 bytes across lines of
  /// memory do so at once (lib/Target/SPIRV/Drivers/GatherPairs.cpp).
  bool gathersPairs = false;
  /// Whether the driver moves conditions on the lane out of loops, merges them, and
  /// then loses them for some of the stores (docs/decisions/conditions-on-lanes.md).
  bool movesLaneConditions = false;
  /// Whether the driver keeps one negated number for all work-items where a barrier
  /// separates its definition from its use (docs/decisions/negations.md).
  bool losesNegations = false;
  /// Whether the driver fails on elements of 8 and 16 bits that lanes load a constant
  /// distance apart (docs/decisions/strided-bytes.md).
  bool failsOnStridedBytes = false;
  /// Whether the driver fails on functions of a subgroup whose operand is the same in
  /// all lanes (docs/decisions/shared-exchanges.md).
  bool failsOnSharedExchanges = false;
  /// Whether the driver loses the mask of lanes where it finds that the first lane
  /// alone may run (docs/decisions/first-lanes.md).
  bool losesMasksOfFirstLanes = false;
  /// Whether the driver compiles LLVM's intrinsic of a fused multiply-add in less time
  /// than OpenCL's function, to the same instruction, which the processor must have.
  bool prefersFmaIntrinsic = false;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_DRIVER_H
