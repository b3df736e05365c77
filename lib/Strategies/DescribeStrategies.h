//===- DescribeStrategies.h - The strategies of a kernel --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_STRATEGIES_DESCRIBESTRATEGIES_H
#define TINYTC_LIB_STRATEGIES_DESCRIBESTRATEGIES_H

#include "mlir/IR/Operation.h"

#include "llvm/Support/JSON.h"

namespace mlir::tinytc {

/// Describes each op of a kernel that has a strategy, and each instruction that gets
/// one later: the op and its line; the kind of a strategy and its entries. Sums in
/// tiles of work-items also have their shape (null for dynamic sizes), the work-items
/// along rows, and the estimated cycles of every tile that fits the registers.
llvm::json::Array describeStrategies(Operation *kernel);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_DESCRIBESTRATEGIES_H
