//===- LaneLayout.h - A block of elements in a subgroup's registers -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TARGET_LANELAYOUT_H
#define TINYTC_LIB_TARGET_LANELAYOUT_H

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mlir::tinytc {

/// Elements that a lane loads at once, by their size.
inline int64_t getMaxElementsAtOnce(int64_t elementBytes) {
  return std::max<int64_t>(16 / elementBytes, 1);
}

/// How a block of `inner` x `outer` elements, contiguous along the inner mode, lies in
/// the registers of a subgroup. A lane loads some elements of a line at once; lines
/// take powers of two of lanes, so that all registers have the same pattern.
class LaneLayout {
public:
  LaneLayout(int64_t inner, int64_t outer, int64_t elementBytes, int64_t lanes);

  /// Who holds an element: a lane's `component`-th element of its `load`-th load.
  struct Place {
    int64_t load, lane, component;
  };
  Place locate(int64_t i, int64_t o) const;

  int64_t getNumLoads() const {
    return loadsPerLine * llvm::divideCeil(outer, linesPerLoad);
  }
  /// Whether one load of one lane is all.
  bool isSingle() const { return outer == 1 && inner == perLane; }

  /// The block; elements that a lane loads at once, lanes for a line, lines and pieces
  /// of a line in a load.
  int64_t inner, outer, perLane, lanesPerLine, linesPerLoad, loadsPerLine;

private:
  LaneLayout(int64_t inner, int64_t outer, int64_t perLane, int64_t lanes,
             std::nullptr_t);
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_LANELAYOUT_H
