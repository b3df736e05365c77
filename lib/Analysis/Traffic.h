//===- Traffic.h - Bytes that a group moves from and to memory --*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_TRAFFIC_H
#define TINYTC_LIB_ANALYSIS_TRAFFIC_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// The bytes that the collective instructions of a group read from memory and write to
/// it, of arrays that are its own: those that all groups share stay in caches. Sizes
/// that are not known count as `typicalSize`.
int64_t estimateTraffic(FuncOp func, int64_t typicalSize);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_TRAFFIC_H
