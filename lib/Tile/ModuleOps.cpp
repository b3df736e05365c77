//===- ModuleOps.cpp - Modules, kernels and promises ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// TileModuleOp
//===----------------------------------------------------------------------===//

void TileModuleOp::build(OpBuilder &builder, OperationState &state, StringRef name) {
  state.addRegion()->emplaceBlock();
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
}

LogicalResult TileModuleOp::verifyRegions() {
  // module_c1
  for (Operation &op : getBody().front())
    if (!isa<EntryOp>(op))
      return op.emitOpError() << "expected only tile.entry in a tile.module, got "
                              << op.getName();
  return success();
}

//===----------------------------------------------------------------------===//
// EntryOp
//===----------------------------------------------------------------------===//

void EntryOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    TypeRange parameters) {
  Block &body = state.addRegion()->emplaceBlock();
  for (Type type : parameters)
    body.addArgument(type, state.location);
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name),
                     TypeAttr::get(builder.getFunctionType(parameters, {})));
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> outputs,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, outputs);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name),
      buildType, getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void EntryOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult EntryOp::verify() {
  // entry_c1
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    auto tile = dyn_cast<TileType>(type);
    if (!tile || tile.getRank() != 0)
      return emitOpError() << "expected parameter " << index
                           << " to be a tile without dimensions, got " << type;
  }
  // entry_c2
  if (!getResultTypes().empty())
    return emitOpError() << "expected no results, got " << getResultTypes().size();
  return verifyHints(*this, getOptimizationHintsAttr()); // entry_c3
}

LogicalResult ReturnOp::verify() {
  // return_c1
  for (Operation *parent = getOperation()->getParentOp();
       isa_and_nonnull<IfOp, ForOp, LoopOp>(parent); parent = parent->getParentOp())
    if (!isa<IfOp>(parent))
      return emitOpError() << "expected no loop around it, got " << parent->getName();
  return success();
}

//===----------------------------------------------------------------------===//
// AssumeOp
//===----------------------------------------------------------------------===//

LogicalResult AssumeOp::verify() {
  // assume_c1
  auto tile = dyn_cast<TileType>(getValue().getType());
  if (tile ? isa<FloatType>(tile.getElementType()) : !isa<DivByAttr>(getPredicate()))
    return emitOpError()
           << "expected a tile of integers or pointers, or a tensor view for "
              "div_by, got "
           << getValue().getType();
  return success();
}
