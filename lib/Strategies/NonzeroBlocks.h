//===- NonzeroBlocks.h - The blocks of a product that are computed -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_STRATEGIES_NONZEROBLOCKS_H
#define TINYTC_LIB_STRATEGIES_NONZEROBLOCKS_H

#include "lib/Analysis/ZeroPatterns.h"
#include "lib/Strategies/Products.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// A block of the destination, and the steps of the sum that it needs: one range after
/// the other.
struct NonzeroBlock {
  Box destination;
  SmallVector<ModeRange, 2> steps;
  /// Whether the product is zero there: one step sets or scales the destination.
  bool isZero = false;
};

/// The blocks of an instruction with patterns of zeros.
struct NonzeroProduct {
  /// Sizes of the modes of the product, those of the destination first.
  SmallVector<int64_t> shape;
  bool isReduction;
  /// Where the product, and the destination before the instruction, may be other than
  /// zero.
  Boxes product, old;
  /// Whether the destination keeps its values where the product is zero.
  bool keepsOld;
  int64_t elementBytes;
  /// Those of the unit for matrices that computes it. Blocks are multiples of them, so
  /// that the unit computes them, too.
  std::optional<UnitSteps> unit;
};

/// Chooses the blocks by what they cost on a machine; nothing if it does not pay to
/// split the product, which is then computed as it is. Elements outside of all blocks
/// keep their values.
std::optional<SmallVector<NonzeroBlock>> chooseBlocks(const NonzeroProduct &product,
                                                      const Machine &machine);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_NONZEROBLOCKS_H
