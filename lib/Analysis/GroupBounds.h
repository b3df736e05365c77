//===- GroupBounds.h - How many groups fit the arrays -----------*- C++ -*-===//
//
// Which elements of its arrays a group accesses, in terms of its id and of what the
// host knows at a launch: docs/decisions/group-bounds.md.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_GROUPBOUNDS_H
#define TINYTC_LIB_ANALYSIS_GROUPBOUNDS_H

#include "lib/Analysis/ParameterViews.h"

#include <array>

namespace mlir::tinytc {

/// Every group whose id in the dimension meets the conditions, and whose other ids are
/// 0, accesses an element with the index: the last one of those that it accesses if
/// there is a size to compare with, else the first one. The polynomials have no
/// variables but scalars, sizes and numbers of members. With the slope 0, every launch
/// of any number of groups accesses the element.
struct GroupBound {
  IndexedModes modes;
  /// Dimension of the group id.
  unsigned dimension;
  /// slope * id + rest.
  Polynomial::Line index;
  /// What multiplies the other ids, by dimension, if the groups with larger ones access
  /// such an element too; else 0.
  std::array<Polynomial, kNumDimensions> otherSlopes;
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

/// How all accesses to some modes depend on the id of the group in x.
enum class GroupIndex {
  Id,     ///< each is at exactly the id
  Shared, ///< none depends on it
  Other
};

/// How the groups of a launch share some modes.
struct GroupAccess {
  IndexedModes modes;
  GroupIndex index;
  /// Of other accesses: what the first one that is neither accesses, and where it is.
  StringRef reason;
  Operation *op;
};

/// Sizes of two modes that an instruction requires to be equal, in terms of scalars and
/// sizes.
struct EqualSizes {
  Polynomial size, expected;
  /// The first instruction that requires it, which every group executes.
  Operation *op;
};

struct GroupBounds {
  std::vector<GroupBound> bounds;
  std::vector<EqualSizes> equalSizes;
  std::vector<UncheckedUse> unchecked;
  /// Of all modes that are accessed.
  std::vector<GroupAccess> accesses;
  /// Instructions whose results differ if a batch is cut into several launches, because
  /// they compute with the group id, the number of groups or the size of the batch.
  std::vector<Operation *> launchDependent;
  /// The dimensions whose group id or number of groups the kernel asks for.
  std::array<bool, kNumDimensions> usesDimension{};
};

/// Derives the bounds of a kernel as it was written, before any pass.
GroupBounds getGroupBounds(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_GROUPBOUNDS_H
