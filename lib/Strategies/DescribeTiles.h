//===- DescribeTiles.h - What the cost model says of a kernel ---*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_STRATEGIES_DESCRIBETILES_H
#define TINYTC_LIB_STRATEGIES_DESCRIBETILES_H

#include "dialect/TinyTC.h"

#include "llvm/Support/JSON.h"

namespace mlir::tinytc {

/// Describes each sum of products of a kernel that has a target and a work-group size:
/// where it is, its shape (null for dynamic sizes), the tile that lowering will choose,
/// and the estimated cycles of every tile that fits the registers.
llvm::json::Array describeTiles(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_DESCRIBETILES_H
