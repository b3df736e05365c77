//===- KernelTable.h - Kernels of a gpu.binary ------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_PIPELINE_KERNELTABLE_H
#define TINYTC_LIB_PIPELINE_KERNELTABLE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::tinytc {

/// The property of an object file that has the names of kernels in the order of the
/// program.
inline constexpr StringLiteral kKernelOrder = "kernels";

/// A table of kernels with their manifests.
gpu::KernelTableAttr createKernelTable(MLIRContext *context,
                                       ArrayRef<LLVM::LLVMFuncOp> kernels);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_KERNELTABLE_H
