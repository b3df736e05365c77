//===- CpuMachines.h - Processors with vector registers ---------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TARGET_CPUMACHINES_H
#define TINYTC_LIB_TARGET_CPUMACHINES_H

#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// `minStreamedBytes` of processors that are not known: more than caches hold.
constexpr int64_t kStreamedBytes = int64_t(128) << 20;

// By their vector registers.
Machine makeSse();
Machine makeAvx2();
Machine makeAvx512();

/// Bytes of the vector registers of the host's processor.
int64_t getHostRegisterBytes();

/// `minStreamedBytes` of the host's processor.
int64_t getHostStreamedBytes();

/// The instructions for neighbouring products of the host's processor.
DotProducts getHostDotProducts();

/// Tiles in vector registers of AArch64.
TileRegisters makeMatrixInstructions();

/// The registers for tiles of the host's processor. Those of AMX are there if the
/// system lets this process use them, which it is asked for.
TileRegisters getHostTileRegisters();

/// Whether the host's processor has instructions for arithmetic on f16.
bool computesHostF16();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_CPUMACHINES_H
