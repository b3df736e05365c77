//===- OutermostAccess.h - The access that is farthest outside --*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_OUTERMOSTACCESS_H
#define TINYTC_LIB_ANALYSIS_OUTERMOSTACCESS_H

#include "lib/Analysis/LaunchIntegers.h"

namespace mlir::tinytc {

/// An access to an index that is made if no fact is negative.
struct ConditionalAccess {
  Polynomial index;
  std::vector<Polynomial> facts;
};

/// Accesses of a group, in terms of its ids and of what the host knows at the launch.
struct OutermostAccesses {
  /// Accesses that groups make, if the facts hold.
  std::vector<ConditionalAccess> certain;
  /// If all of these are inside, so are all that groups make. Those whose index is
  /// unknown say nothing.
  std::vector<ConditionalAccess> possible;
  /// Whether both are the same.
  bool isExact = false;
};

/// Replaces loop variables and other integers between bounds by those values with which
/// an access is farthest outside.
///
/// \param facts what holds if the access is made.
/// \param isUpper whether it is outside if the index is not less than `size`; else, if
/// it is negative.
OutermostAccesses getOutermost(const LaunchIntegers &integers, const Polynomial &index,
                               const Facts &facts, bool isUpper,
                               const Polynomial &size);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_OUTERMOSTACCESS_H
