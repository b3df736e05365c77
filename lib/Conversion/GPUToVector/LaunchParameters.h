//===- LaunchParameters.h - The numbers of a native launch ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_LAUNCHPARAMETERS_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_LAUNCHPARAMETERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::tinytc {

/// The numbers, of type i64, that the function of a native kernel takes after the
/// kernel's own parameters: which groups it runs, and how many the launch has. A
/// pointer to local memory may follow.
enum LaunchParameter : unsigned {
  /// It runs the groups of a row, from the first one to the one before the end.
  kFirstGroup,
  kEndGroup,
  kGroupY,
  kGroupZ,
  /// The number of groups in x, y and z.
  kNumGroups,
  kNumLaunchParameters = kNumGroups + 3
};

/// The index of the first of these parameters.
inline unsigned getLaunchBegin(func::FuncOp function) {
  bool hasLocalMemory = isa<LLVM::LLVMPointerType>(function.getArgumentTypes().back());
  return function.getNumArguments() - hasLocalMemory - kNumLaunchParameters;
}

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_LAUNCHPARAMETERS_H
