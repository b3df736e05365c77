//===- WorkGroupSizes.h - Sizes of work-group and subgroup ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TRANSFORMS_WORKGROUPSIZES_H
#define TINYTC_LIB_TRANSFORMS_WORKGROUPSIZES_H

#include "dialect/TinyTC.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// Work-items of a subgroup, and of a work-group in its two dimensions.
struct WorkGroupSizes {
  int32_t subgroup;
  SmallVector<int32_t> group;
};

/// The sizes that a kernel gives and, where it leaves them open, those that the cost
/// model chooses, with `packGroups` for groups that may share a work-group. Emits an
/// error if the target does not have those that are given.
FailureOr<WorkGroupSizes> findWorkGroupSizes(FuncOp func, TargetAttr target,
                                             bool packGroups);

/// Whether the program itself says what a subgroup or a work-item does.
bool hasSpmdRegion(FuncOp func);

/// Whether a product of the kernel runs on the matrix unit if the subgroup has the size
/// for that.
bool hasMatrixUnitProduct(FuncOp func, const Machine &machine);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TRANSFORMS_WORKGROUPSIZES_H
