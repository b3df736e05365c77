//===- GroupBounds.h - How many groups fit the arrays -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
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

/// How far the blocks of a load reach into the memory of a parameter, in elements from
/// its start: no further than that for any group, in terms of the ids.
struct BlockReach {
  Polynomial first, last;

  bool operator<(const BlockReach &other) const {
    return std::tie(first, last) < std::tie(other.first, other.last);
  }
};

/// An access to a block that is not checked.
struct BlockAccess {
  Operation *op;
  /// Modifier with which it would be.
  StringRef checked;
  /// Of a load: where the block is not inside the array, it may still be inside its
  /// memory.
  std::optional<BlockReach> reach;
};

/// An index of an element that a group accesses, in terms of the group's id in one
/// dimension. Holds for groups that meet the conditions and whose other ids are 0. If
/// there is a size, this is the last element that the group accesses, else the first.
/// The variables of the polynomials are scalars, sizes and numbers of members. With the
/// slope 0, every launch accesses the element, however many groups it has.
struct GroupBound {
  IndexedModes modes;
  /// Dimension of the group id.
  unsigned dimension;
  /// slope * id + rest.
  Polynomial::Line index;
  /// The factors of the other ids, by dimension, if the groups with larger ones access
  /// such an element too; else 0.
  std::array<Polynomial, kNumDimensions> otherSlopes;
  /// The index must be less; without it, the index must not be negative.
  std::optional<Polynomial> size;
  /// Each is slope * id + rest >= 0.
  std::vector<Polynomial::Line> conditions;
  std::optional<BlockAccess> block;
};

/// Modes with accesses that no bound covers.
struct UncheckedUse {
  IndexedModes modes;
  StringRef reason;
  /// If a launch keeps it, these accesses are inside all the same.
  std::optional<GroupBound> bound;
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
  /// The first instruction that requires it.
  Operation *op;
  /// The first group executes it if none of these is negative.
  std::vector<Polynomial> conditions;
  /// Why it is not known whether a group executes it even if they hold; else empty.
  StringRef reason;
};

struct GroupBounds {
  /// The parameters and allocas that modes count.
  std::vector<Value> roots;
  /// The quotients that variables count.
  std::vector<LaunchQuotient> quotients;
  std::vector<GroupBound> bounds;
  std::vector<EqualSizes> equalSizes;
  std::vector<UncheckedUse> unchecked;
  /// Of all modes of parameters that are accessed.
  std::vector<GroupAccess> accesses;
  /// Instructions whose results differ if a batch is cut into several launches, because
  /// they compute with the group id, the number of groups or the size of the batch.
  std::vector<Operation *> launchDependent;
  /// The dimensions whose group id or number of groups the kernel asks for.
  std::array<bool, kNumDimensions> usesDimension{};
};

/// Derives the bounds of a kernel as it was written, before any pass. Every access of
/// every instruction is inside if no bound and no pair of equal sizes is violated, and
/// there is no unchecked use.
GroupBounds getGroupBounds(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_GROUPBOUNDS_H
