//===- Emit.h - Code and manifest -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_PIPELINE_EMIT_H
#define TINYTC_LIB_PIPELINE_EMIT_H

#include "dialect/TinyTC.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::tinytc {

/// A compiled module: what a runtime needs to launch its kernels.
struct Binary {
  std::string code;
  /// JSON text: target, format of the code, and for each kernel its name, sizes and
  /// arguments.
  std::string manifest;
};

/// Returns the code of a module at the last stage for its target, whose kernels carry
/// their descriptions in `tinytc.manifest`; `withLines` adds the lines of the source to
/// SPIR-V. Failures are diagnostics.
FailureOr<Binary> emitBinary(ModuleOp lowered, bool withLines = false);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_EMIT_H
