//===- Strategy.h - How an instruction is computed --------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The attribute tinytc.strategy, which lib/Strategies chooses and lowerings match.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_STRATEGY_H
#define TINYTC_LIB_ANALYSIS_STRATEGY_H

#include "dialect/TinyTC.h"

#include <optional>

namespace mlir::tinytc {

/// The entries of the attribute (dialect/Attrs.td says which a kind has); others are 0.
struct Strategy {
  StrategyKind kind;
  int64_t rows = 0, columns = 0, unroll = 0;
  int64_t gridRows = 0, gridColumns = 0;
  int64_t elementRows = 0, elementColumns = 0;
  int64_t localBytes = 0;

  /// The strategy of an op, if one is chosen.
  static std::optional<Strategy> find(Operation *op);
  void setOn(Operation *op) const;
};

/// Whether the strategy of an op is chosen, and is one of `kinds`.
bool hasStrategy(Operation *op, ArrayRef<StrategyKind> kinds);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_STRATEGY_H
