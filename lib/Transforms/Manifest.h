//===- Manifest.h - Description of kernels for the runtime ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TRANSFORMS_MANIFEST_H
#define TINYTC_LIB_TRANSFORMS_MANIFEST_H

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/JSON.h"

namespace mlir::tinytc {

/// Describes a prepared kernel: name, sizes, required features, and arguments. Dynamic
/// sizes, strides and offsets are null.
llvm::json::Object describeKernel(FuncOp func);

/// Describes which groups fit the arrays of a kernel that no pass has changed, and how
/// much a group computes and moves.
llvm::json::Object describeGroupBounds(FuncOp func);

/// JSON as an attribute: null is a unit. Numbers must be integers of 64 bits.
Attribute toAttribute(Builder &builder, const llvm::json::Value &value);

/// The JSON that `toAttribute` made an attribute of; null for any other attribute.
llvm::json::Value toJson(Attribute attribute);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TRANSFORMS_MANIFEST_H
