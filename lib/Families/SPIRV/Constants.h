//===- Constants.h - Variables of SPIR-V that never change ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_SPIRV_CONSTANTS_H
#define TINYTC_LIB_FAMILIES_SPIRV_CONSTANTS_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tinytc {

/// The elements of variables, by their names.
using ConstantElements = llvm::StringMap<DenseElementsAttr>;

/// Removes the elements of all variables of a module from it, and returns them; an
/// error if a variable is not an array of its elements.
FailureOr<ConstantElements> takeElements(spirv::ModuleOp module);

/// Gives variables of a module's binary form their elements, and aligns them. Equal
/// elements are one constant.
void addElements(SmallVectorImpl<uint32_t> &words, const ConstantElements &elements);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_SPIRV_CONSTANTS_H
