//===- GroupsPerBlock.h - Groups that share a work-group --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A core runs a limited number of work-groups, and a warp only work-items of one. Where
// groups are warps or aligned parts of them, several form one work-group. Nothing but
// the conversion of the gpu stage knows (GPUToNVVM/GroupsPerBlock.cpp): up to there, a
// work-group is one group.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_GROUPSPERBLOCK_H
#define TINYTC_LIB_ANALYSIS_GROUPSPERBLOCK_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// The work-items of a group, whose sizes are known.
int64_t countWorkItems(FuncOp func);

/// Whether `groups` groups of a kernel, of `items` work-items each, can lie side by
/// side.
bool canShareBlock(TargetAttr target, FuncOp func, int64_t items, int64_t groups);

/// The number of groups to put side by side: as many as fill warps, and give a core
/// enough bytes to wait for.
int64_t chooseGroupsPerBlock(TargetAttr target, FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_GROUPSPERBLOCK_H
