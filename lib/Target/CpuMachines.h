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

/// Whether the host's processor has tile registers that the system lets this process
/// use; asks for it if so.
bool mayUseHostTileRegisters();

/// Whether the host's processor has instructions for arithmetic on f16.
bool computesHostF16();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_CPUMACHINES_H
