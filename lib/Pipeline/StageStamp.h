//===- StageStamp.h - The first line of printed stages ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_FAMILYTAMP_H
#define TINYTC_LIB_FAMILIES_FAMILYTAMP_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace mlir::tinytc {

/// Returns the line that names this version, with its end: a comment of MLIR.
StringRef getStageStamp();

/// Returns why a stage is not read: another minor version printed it. `head` is the
/// text or bytecode, or as much of it as has the first line; texts without the line are
/// other people's, or edited, and are read.
std::optional<std::string> explainStageStamp(StringRef head);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_FAMILYTAMP_H
