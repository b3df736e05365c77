//===- ImportedFunction.h - Functions that SPIR-V imports -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_IMPORTEDFUNCTION_H
#define TINYTC_LIB_BUILDERS_IMPORTEDFUNCTION_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir::tinytc {

/// Calls the function that the module around `op` imports by this name; without
/// a result if `result` is null.
spirv::FunctionCallOp callImport(OpBuilder &builder, Operation *op, StringRef name,
                                 Type result, ValueRange operands);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_IMPORTEDFUNCTION_H
