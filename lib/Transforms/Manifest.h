//===- Manifest.h - Description of kernels for the runtime ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TRANSFORMS_MANIFEST_H
#define TINYTC_LIB_TRANSFORMS_MANIFEST_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// Describes a prepared kernel: name, parameters, required features and checks.
KernelAttr describeKernel(FuncOp func);

/// Describes which groups fit the arrays of a kernel that no pass has changed, and how
/// much a group computes and moves.
GroupBoundsAttr describeGroupBounds(FuncOp func);

/// The name that an attribute or the source gives a parameter, else one by its
/// position.
StringAttr getArgumentName(BlockArgument argument);

/// The part of a line in a file that a location names; nothing if it names none.
std::optional<FileLineColRange> getPlace(Location loc);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TRANSFORMS_MANIFEST_H
