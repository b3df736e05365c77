//===- Signature.h - Parameters of derivatives ------------------*- C++ -*-===//

#ifndef TINYTC_LIB_DERIVATIVES_SIGNATURE_H
#define TINYTC_LIB_DERIVATIVES_SIGNATURE_H

#include "lib/Derivatives/Activity.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tinytc::derivatives {

/// Whether an op names or frees memory: views, members of groups, allocas.
bool isMemoryName(Operation *op);

/// The kernels of a module that have the name, all if it is empty.
SmallVector<FuncOp> selectKernels(ModuleOp module, StringRef name);

/// Whether a parameter, or the memory that it points to, is active.
bool isActiveParameter(const Activity &activity, FuncOp func, unsigned index);

/// Appends a parameter to `kernel` for parameter `index` of `func`, and returns it. Its
/// name is that of the other one with the suffix.
Value addParameter(FuncOp kernel, FuncOp func, unsigned index, StringRef suffix,
                   Type type);

/// Whether groups may add to the same elements of the adjoint of a parameter: a scalar,
/// or an array that is only read, unless each group reads the entry of one mode, or the
/// member of a group, that its index names.
bool isShared(FuncOp func, unsigned index);

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_SIGNATURE_H
