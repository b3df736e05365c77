//===- FuncOp.cpp - Kernels -----------------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// A parameter that is named in the text keeps its name in its location, as in programs
/// of the language. `%arg0` and the like are what the printer calls unnamed ones.
static void keepName(OpAsmParser &parser, OpAsmParser::Argument &argument,
                     size_t index) {
  StringRef name = argument.ssaName.name.drop_front();
  bool isNamed = name != ("arg" + Twine(index)).str();
  if (!isNamed || argument.sourceLoc)
    return;
  Builder &builder = parser.getBuilder();
  argument.sourceLoc =
      NameLoc::get(builder.getStringAttr(name),
                   parser.getEncodedSourceLoc(argument.ssaName.location));
}

/// func ::= symbol-name `(` argument-list `)` (`attributes` attr-dict)? region
ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    types.push_back(argument.type);
    keepName(parser, argument, index);
  }
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(builder, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  // Unlike a declaration, a kernel without instructions has a body.
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  call_interface_impl::printFunctionSignature(
      printer, getFunctionType().getInputs(), getArgAttrsAttr(), /*isVariadic=*/false,
      getFunctionType().getResults(), getResAttrsAttr(), &getBody(),
      /*printEmptyResult=*/false);
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getFunctionTypeAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static bool isParameterType(Type type) {
  return type.isInteger(1) || isScalarType(type) || isa<MemrefType, GroupType>(type);
}

LogicalResult
tinytc::verifyKernelSizes(Operation *op, std::optional<int32_t> subgroupSize,
                          std::optional<ArrayRef<int32_t>> workGroupSize) {
  // func_c3
  if (subgroupSize && *subgroupSize < 1)
    return op->emitOpError("expected 'subgroup_size' to be positive, got ")
           << *subgroupSize;
  if (!workGroupSize)
    return success();
  // func_c4
  if (workGroupSize->size() != 2)
    return op->emitOpError("expected 'work_group_size' to have 2 entries, got ")
           << workGroupSize->size();
  int32_t first = (*workGroupSize)[0], second = (*workGroupSize)[1];
  if (first < 1 || second < 1)
    return op->emitOpError("expected the entries of 'work_group_size' to be positive, "
                           "got ")
           << first << " and " << second;
  // func_c5
  if (subgroupSize && first % *subgroupSize != 0)
    return op->emitOpError("expected the first entry of 'work_group_size' to be a "
                           "multiple of 'subgroup_size' = ")
           << *subgroupSize << ", got " << first;
  return success();
}

LogicalResult FuncOp::verify() {
  // func_c1
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isParameterType(type))
      return emitOpError("expected parameter ")
             << index << " to have boolean, scalar, memref or group type, got " << type;
  // func_c11
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (auto memref = dyn_cast<MemrefType>(type); memref && memref.isLocal())
      return emitOpError("expected parameter ")
             << index << " to be in the global address space, got " << type;
  // func_c2
  if (getNumResults() != 0)
    return emitOpError("expected a kernel to have no results, got ") << getNumResults();
  std::optional<uint32_t> subgroupSize = getSubgroupSize();
  if (failed(verifyKernelSizes(
          *this, subgroupSize ? std::optional<int32_t>(*subgroupSize) : std::nullopt,
          getWorkGroupSize())))
    return failure();
  // func_c10
  if (auto outer = (*this)->getParentOfType<FuncOp>())
    return emitOpError("expected a kernel outside any other kernel, got one in '")
               .append(outer.getSymName(), "'")
               .attachNote(outer.getLoc())
           << "outer kernel is here";
  // func_c12
  if (getBody().empty())
    return emitOpError("expected a kernel to have a body, got a declaration");
  return success();
}
