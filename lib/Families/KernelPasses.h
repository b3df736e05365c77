//===- KernelPasses.h - Passes of the functions of kernels ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_KERNELPASSES_H
#define TINYTC_LIB_FAMILIES_KERNELPASSES_H

#include "mlir/Pass/PassManager.h"

namespace mlir::tinytc {

/// Adds a pass for kernels and for the functions that they call.
void addKernelPass(OpPassManager &pipeline,
                   function_ref<std::unique_ptr<Pass>()> create);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_KERNELPASSES_H
