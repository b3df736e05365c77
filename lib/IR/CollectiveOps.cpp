//===- CollectiveOps.cpp - Functions and collective instructions ----------===//

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), buildType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(), result.location);
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

LogicalResult FuncOp::verify() { return success(); }

LogicalResult FuncOp::verifyRegions() { return success(); }

//===----------------------------------------------------------------------===//
// ForeachOp
//===----------------------------------------------------------------------===//

/// foreach ::= `(` ssa-id-list `)` (`:` type)? `=` `(` ssa-use-list `)` `,`
///             `(` ssa-use-list `)` region attr-dict
ParseResult ForeachOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> variables;
  SmallVector<OpAsmParser::UnresolvedOperand> from, to;
  Type type = parser.getBuilder().getIndexType();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(variables, OpAsmParser::Delimiter::Paren) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(type)) ||
      parser.parseEqual() ||
      parser.parseOperandList(from, OpAsmParser::Delimiter::Paren) ||
      parser.parseComma() || parser.parseOperandList(to, OpAsmParser::Delimiter::Paren))
    return failure();
  if (from.size() != variables.size() || to.size() != variables.size())
    return parser.emitError(loc)
           << "expected as many bounds as loop variables (" << variables.size()
           << "), got " << from.size() << " and " << to.size();
  for (OpAsmParser::Argument &variable : variables)
    variable.type = type;
  Region *body = result.addRegion();
  if (parser.resolveOperands(from, type, result.operands) ||
      parser.resolveOperands(to, type, result.operands) ||
      parser.parseRegion(*body, variables) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForeachOp::print(OpAsmPrinter &printer) {
  auto printList = [&](auto values) {
    printer << '(';
    llvm::interleaveComma(values, printer);
    printer << ')';
  };
  printer << ' ';
  printList(getBody().getArguments());
  if (!getFrom().empty() && !getFrom().front().getType().isIndex())
    printer << " : " << getFrom().front().getType();
  printer << " = ";
  printList(getFrom());
  printer << ", ";
  printList(getTo());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult ForeachOp::verifyRegions() { return success(); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult AllocaOp::verify() { return success(); }
LogicalResult AxpbyOp::verify() { return success(); }
LogicalResult CumsumOp::verify() { return success(); }
LogicalResult GemmOp::verify() { return success(); }
LogicalResult GemvOp::verify() { return success(); }
LogicalResult GerOp::verify() { return success(); }
LogicalResult HadamardProductOp::verify() { return success(); }
LogicalResult SumOp::verify() { return success(); }
