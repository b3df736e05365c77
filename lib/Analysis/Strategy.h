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
  int64_t localBytes = 0, stages = 0;
  int64_t tailUnroll = 0, adjacent = 0, operand = 0, rowMode = 0;
  bool sharesColumns = false, columnsOutside = false, prefetch = false;
  bool copiesA = false, copiesB = false;
  SmallVector<int64_t> tile = {};

  /// The strategy of an op, if one is chosen.
  static std::optional<Strategy> find(Operation *op);
  /// The same of an op that needs one and may have only `kinds`; emits an error if
  /// there is none, or another.
  static FailureOr<Strategy> get(Operation *op, ArrayRef<StrategyKind> kinds);
  void setOn(Operation *op) const;
};

/// Emits an error if a strategy is none of `kinds`.
LogicalResult verifyKind(Operation *op, const Strategy &strategy,
                         ArrayRef<StrategyKind> kinds);
/// Emits an error if the entry `name` of a strategy is not positive.
LogicalResult verifyPositive(Operation *op, StringRef name, int64_t value);
/// Emits the error for a strategy that computes ops of another form.
LogicalResult emitFormError(Operation *op, const Strategy &strategy);
/// Emits the error for a strategy with other local memory than the `bytes` that
/// something needs, as `user` says: "its grid needs".
LogicalResult emitLocalBytesError(Operation *op, const Strategy &strategy,
                                  int64_t bytes, StringRef user);

/// Whether the strategy of an op is chosen, and is one of `kinds`.
bool hasStrategy(Operation *op, ArrayRef<StrategyKind> kinds);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_STRATEGY_H
