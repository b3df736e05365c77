//===- Targets.h - Processors that LLVM compiles for ------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_NATIVE_TARGETS_H
#define TINYTC_LIB_FAMILIES_NATIVE_TARGETS_H

#include "lib/Target/Target.h"

namespace mlir::tinytc {

Target makeNative();
Target makeX86V2();
Target makeX86V3();
Target makeX86V4();
Target makeX86BF16();
Target makeX86Amx();
Target makeAArch64();
Target makeAArch64Matrix();
Target makeSve256();
Target makeSve512();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_NATIVE_TARGETS_H
