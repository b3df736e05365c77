//===- Serialize.h - The bytes of SPIR-V, and its manifest ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_SPIRV_SERIALIZE_H
#define TINYTC_LIB_FAMILIES_SPIRV_SERIALIZE_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::tinytc {

/// The manifest's entries of the kernels of a module; an error if one lacks a
/// description.
FailureOr<llvm::json::Array> describeKernels(spirv::ModuleOp module);

/// The binary form of a module; `withLines` adds the lines of the source.
FailureOr<std::string> serializeSPIRV(spirv::ModuleOp module, bool withLines);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_SPIRV_SERIALIZE_H
