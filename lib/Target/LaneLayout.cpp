//===- LaneLayout.cpp - A block of elements in a subgroup's registers -----===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Target/LaneLayout.h"

using namespace mlir::tinytc;

LaneLayout::LaneLayout(int64_t inner, int64_t outer, int64_t perLane, int64_t lanes,
                       std::nullptr_t)
    : inner(inner), outer(outer), perLane(perLane) {
  int64_t chunks = llvm::divideCeil(inner, perLane);
  lanesPerLine = std::min<int64_t>(llvm::PowerOf2Ceil(chunks), lanes);
  linesPerLoad = lanes / lanesPerLine;
  loadsPerLine = llvm::divideCeil(chunks, lanesPerLine);
}

/// The fewest elements for each lane that lead to the fewest loads.
LaneLayout::LaneLayout(int64_t inner, int64_t outer, int64_t elementBytes,
                       int64_t lanes)
    : LaneLayout(inner, outer, 1, lanes, nullptr) {
  int64_t most = std::min(getMaxElementsAtOnce(elementBytes), inner);
  for (int64_t count = 2; count <= most; count *= 2) {
    LaneLayout wider(inner, outer, count, lanes, nullptr);
    if (wider.getNumLoads() < getNumLoads())
      *this = wider;
  }
}

LaneLayout::Place LaneLayout::locate(int64_t i, int64_t o) const {
  int64_t chunk = i / perLane;
  // The last chunk of a line overlaps the one before it.
  int64_t start = std::min(chunk * perLane, inner - perLane);
  return {o / linesPerLoad * loadsPerLine + chunk / lanesPerLine,
          o % linesPerLoad * lanesPerLine + chunk % lanesPerLine, i - start};
}
