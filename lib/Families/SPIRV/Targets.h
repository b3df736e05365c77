//===- Targets.h - Targets whose drivers take SPIR-V ------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_SPIRV_TARGETS_H
#define TINYTC_LIB_FAMILIES_SPIRV_TARGETS_H

#include "lib/Target/Target.h"

namespace mlir::tinytc {

/// As `tinytc.target` names them.
inline constexpr llvm::StringLiteral kCpuFamily = "cpu", kIntelGpuFamily = "intel_gpu";

Target makeCpu();
Target makeIntelPvc();
Target makeIntelDg2();
Target makeIntelBmg();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_SPIRV_TARGETS_H
