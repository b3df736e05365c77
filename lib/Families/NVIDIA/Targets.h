//===- Targets.h - GPUs of NVIDIA -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_NVIDIA_TARGETS_H
#define TINYTC_LIB_FAMILIES_NVIDIA_TARGETS_H

#include "lib/Target/Target.h"

namespace mlir::tinytc {

Target makeCudaSm80();
Target makeCudaSm90();
Target makeCudaSm100();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_NVIDIA_TARGETS_H
