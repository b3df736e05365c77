//===- Emit.h - SPIR-V binary and manifest ----------------------*- C++ -*-===//

#ifndef TINYTC_LIB_PIPELINE_EMIT_H
#define TINYTC_LIB_PIPELINE_EMIT_H

#include "dialect/TinyTC.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::tinytc {

/// A compiled module: what a runtime needs to launch its kernels.
struct Binary {
  SmallVector<uint32_t, 0> spirv;
  /// JSON text: target, and for each kernel its name, sizes and arguments.
  std::string manifest;
};

/// Serializes the module at the spirv stage and describes its kernels, whose parameters
/// come from the prepared module of the tinytc dialect, and whose bounds of the number
/// of groups come from the module before any pass; without it, there are none. Failures
/// are diagnostics.
FailureOr<Binary> emitBinary(ModuleOp prepared, ModuleOp lowered, ModuleOp source);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_EMIT_H
