//===- KernelTable.h - Kernels of a gpu.binary ------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_KERNELTABLE_H
#define TINYTC_LIB_FAMILIES_KERNELTABLE_H

#include "lib/Families/Family.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::tinytc {

/// The property of an object file that has the names of kernels in the order of the
/// program.
inline constexpr StringLiteral kKernelOrder = "kernels";

/// A table of kernels with their manifests; their variants for aligned arrays have no
/// entry.
gpu::KernelTableAttr createKernelTable(MLIRContext *context,
                                       ArrayRef<LLVM::LLVMFuncOp> kernels);

/// The code and kernels of the gpu.binary that a module holds.
FailureOr<Code> emitBinaryOp(ModuleOp lowered, bool withLines);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_KERNELTABLE_H
