//===- DisjointBlocks.h - What must not overlap at a launch -----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_DISJOINTBLOCKS_H
#define TINYTC_LIB_ANALYSIS_DISJOINTBLOCKS_H

#include "lib/IR/Blocks.h"

namespace mlir::tinytc {

/// A block of a memref parameter, or of a member of a group parameter.
struct ParameterBlock {
  BlockArgument parameter;
  /// The index of the member; nothing for a memref.
  std::optional<BlockMode> member;
  SmallVector<BlockMode> modes;
};

/// Blocks of two parameters that every group reads and updates in one instruction. Both
/// begin at the same place of their parameters in the first group, so that a launch
/// knows how far they are apart.
struct DisjointBlocks {
  BlasOpInterface op;
  ParameterBlock written, read;
  /// Modes that do not begin at 0 in the first group.
  SmallVector<unsigned> moved;
  /// If one is of a group: the mode of the other that counts the members, if one does.
  std::optional<unsigned> memberMode;
};

/// Finds them in a kernel that no pass has changed.
std::vector<DisjointBlocks> getDisjointBlocks(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_DISJOINTBLOCKS_H
