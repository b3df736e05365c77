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

/// Serializes the module at the spirv stage, whose kernels carry their descriptions in
/// `tinytc.manifest`; `withLines` adds the lines of the source. Failures are
/// diagnostics.
FailureOr<Binary> emitBinary(ModuleOp lowered, bool withLines = false);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_EMIT_H
