//===- GroupBounds.h - How many groups fit the arrays -----------*- C++ -*-===//
//
// Which elements of its arrays a group accesses, in terms of its id and of what the
// host knows at a launch: docs/decisions/group-bounds.md.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_GROUPBOUNDS_H
#define TINYTC_LIB_ANALYSIS_GROUPBOUNDS_H

#include "lib/Analysis/ParameterViews.h"

namespace mlir::tinytc {

/// Every group whose id meets the conditions accesses an element with the index: the
/// last one of those that it accesses if there is a size to compare with, else the
/// first one. The polynomials have no variables but scalars, sizes and numbers of
/// members.
struct GroupBound {
  IndexedModes modes;
  /// Dimension of the group id.
  unsigned dimension;
  /// slope * id + rest.
  Polynomial::Line index;
  /// The index must be less; without it, the index must not be negative.
  std::optional<Polynomial> size;
  /// Each is slope * id + rest >= 0.
  std::vector<Polynomial::Line> conditions;
};

/// Modes with an access of which no bound is derived although it depends on the group.
struct UncheckedUse {
  IndexedModes modes;
  StringRef reason;
};

struct GroupBounds {
  std::vector<GroupBound> bounds;
  std::vector<UncheckedUse> unchecked;
};

/// Derives the bounds of a kernel as it was written, before any pass.
GroupBounds getGroupBounds(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_GROUPBOUNDS_H
