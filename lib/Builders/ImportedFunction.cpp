//===- ImportedFunction.cpp - Calls of functions that SPIR-V imports ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/ImportedFunction.h"
#include "lib/Builders/Outlining.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The declaration of a function that is imported by this name, null if there is none.
/// A kernel of that name is another function.
static spirv::FuncOp findImport(Operation *scope, StringRef name) {
  for (auto function : scope->getRegion(0).getOps<spirv::FuncOp>()) {
    spirv::LinkageAttributesAttr linkage = function.getLinkageAttributesAttr();
    if (linkage && linkage.getLinkageName() == name)
      return function;
  }
  return {};
}

static spirv::FuncOp declareImport(OpBuilder &builder, Operation *scope, StringRef name,
                                   FunctionType type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&scope->getRegion(0).front());
  auto func = spirv::FuncOp::create(builder, scope->getLoc(),
                                    createUniqueName(scope, name), type);
  func.setLinkageAttributesAttr(spirv::LinkageAttributesAttr::get(
      builder.getContext(), builder.getStringAttr(name),
      spirv::LinkageTypeAttr::get(builder.getContext(), spirv::LinkageType::Import)));
  return func;
}

spirv::FunctionCallOp tinytc::callImport(OpBuilder &builder, Operation *op,
                                         StringRef name, Type result,
                                         ValueRange operands) {
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  Operation *scope = module ? module.getOperation()
                            : op->getParentOfType<spirv::ModuleOp>().getOperation();
  spirv::FuncOp function = findImport(scope, name);
  if (!function) {
    TypeRange results = result ? TypeRange(result) : TypeRange();
    function = declareImport(builder, scope, name,
                             builder.getFunctionType(operands.getTypes(), results));
  }
  return spirv::FunctionCallOp::create(builder, op->getLoc(), result,
                                       FlatSymbolRefAttr::get(function), operands);
}
