//===- Signature.h - Parameters of derivatives ------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_DERIVATIVES_SIGNATURE_H
#define TINYTC_LIB_DERIVATIVES_SIGNATURE_H

#include "lib/Derivatives/Activity.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tinytc::derivatives {

/// Whether an op names or frees memory: views, members of groups, allocas.
bool isMemoryName(Operation *op);

/// Adds to the kernels of a module that have the name, to all if it is empty. Fails
/// where `add` does, and if no kernel has the name.
LogicalResult addToKernels(ModuleOp module, StringRef name,
                           function_ref<LogicalResult(FuncOp)> add);

/// Whether a parameter, or the memory that it points to, is active.
bool isActiveParameter(const Activity &activity, FuncOp func, unsigned index);

/// Appends a parameter to `kernel` for parameter `index` of `func`, and returns it. Its
/// name is that of the other one with the suffix.
Value addParameter(FuncOp kernel, FuncOp func, unsigned index, StringRef suffix,
                   Type type);

/// Which groups may add to the same elements of the adjoint of a parameter.
enum class Sharing {
  /// None: each accesses the entry of one mode, or the member, that its index names.
  None,
  /// All: it is a scalar, or an array that is only read.
  Read,
  /// All, but the kernel also writes the array, elsewhere than others read it.
  Written
};
Sharing getSharing(FuncOp func, unsigned index);

/// The dimensions of the grid up to the last one whose index a kernel asks for; x at
/// least.
ArrayRef<Dimension> getGridModes(FuncOp func);

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_SIGNATURE_H
