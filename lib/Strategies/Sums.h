//===- Sums.h - What the cost model says of a sum ---------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_STRATEGIES_SUMS_H
#define TINYTC_LIB_STRATEGIES_SUMS_H

#include "lib/Analysis/Schedule.h"
#include "lib/Strategies/Choose.h"

namespace mlir::tinytc {

/// A sum as the cost model sees it, and all tiles that fit the registers.
struct EstimatedSum {
  ReductionShape shape;
  SmallVector<EstimatedTile> tiles;
};

/// The estimate that the tile of a strategy was chosen from; none if it has no tile.
std::optional<EstimatedSum> estimateSum(const Reduction &reduction,
                                        const Strategy &strategy, const Launch &launch);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_SUMS_H
