//===- BoundCollector.h - Bounds of accesses in terms of the group -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_ANALYSIS_BOUNDCOLLECTOR_H
#define TINYTC_ANALYSIS_BOUNDCOLLECTOR_H

#include "lib/Analysis/GroupBounds.h"
#include "lib/Analysis/OutermostAccess.h"

#include <map>
#include <set>

namespace mlir::tinytc {

/// The end of a coordinate that an access must not pass.
struct AccessedEnd {
  IndexedModes modes;
  Polynomial size;
  /// Whether it is the upper one.
  bool isUpper;
  std::optional<BlockAccess> block;
  /// The op that accesses it.
  Operation *op;
};

/// Whether the id of a group in any dimension occurs.
bool mentionsGroup(const Polynomial &polynomial);

/// A polynomial for the group with the ids 0.
Polynomial getOfFirst(Polynomial polynomial);

/// From the indices of accesses to bounds that a launch can check: each is affine in
/// the group id, and only the outermost of similar ones is kept.
class BoundCollector {
public:
  static constexpr llvm::StringRef kConditionReason =
      "it is accessed under a condition that is not affine in the group id";

  BoundCollector(LaunchIntegers &integers, unsigned numParameters)
      : integers(integers), numParameters(numParameters) {}

  /// Adds that accesses of modes are not checked.
  void addUnchecked(IndexedModes modes, llvm::StringRef reason) {
    unchecked.insert({modes, reason});
  }

  /// Adds an access of modes at places that are not known.
  void addUnknownView(IndexedModes modes, Operation *op);

  /// Adds that an access takes an index if the facts hold.
  void addIndex(const AccessedEnd &end, const LaunchInteger &index, const Facts &made);

  /// Adds all that was found.
  void addTo(GroupBounds &result) const;

private:
  /// Bounds that differ only in conditions and in the constant part of the index.
  struct SimilarBounds {
    /// Of those that need not be kept.
    llvm::StringRef reason;
    IndexedModes modes;
    unsigned dimension;
    std::optional<Polynomial> size;
    Polynomial::Line index;
    std::array<Polynomial, kNumDimensions> otherSlopes;
    std::optional<BlockReach> reach;

    bool operator<(const SimilarBounds &other) const {
      return std::tie(reason, modes, dimension, size, index, otherSlopes, reach) <
             std::tie(other.reason, other.modes, other.dimension, other.size,
                      other.index, other.otherSlopes, other.reach);
    }
  };
  void addGroupIndex(IndexedModes modes, Operation *op, const LaunchInteger &index,
                     llvm::ArrayRef<ConditionalAccess> outermost);
  void addCertain(const AccessedEnd &end, const ConditionalAccess &access);
  void addFixedBound(const AccessedEnd &end, ConditionalAccess access);
  void addBound(const AccessedEnd &end, const ConditionalAccess &access,
                unsigned dimension, bool isCovered);
  void addPossible(const AccessedEnd &end, const ConditionalAccess &access,
                   llvm::StringRef reason);
  void addBound(GroupBound bound, llvm::StringRef reason = "");

  LaunchIntegers &integers;
  /// Of the kernel; parameters beyond them are local memory.
  unsigned numParameters;
  std::map<IndexedModes, GroupAccess> accesses;
  std::map<SimilarBounds, std::vector<GroupBound>> found;
  std::set<std::pair<IndexedModes, llvm::StringRef>> unchecked;
};

} // namespace mlir::tinytc

#endif // TINYTC_ANALYSIS_BOUNDCOLLECTOR_H
