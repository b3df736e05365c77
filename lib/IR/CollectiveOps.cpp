//===- CollectiveOps.cpp - The collective loop foreach --------------------===//

#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tinytc;

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

LogicalResult ForeachOp::verifyRegions() {
  // foreach_c1
  size_t count = getBody().getNumArguments();
  if (getFrom().size() != count)
    return emitOpError("expected as many bounds as loop variables, ")
           << count << ", got " << getFrom().size();
  if (count == 0)
    return emitOpError("expected at least one loop variable, got none");
  // foreach_c2
  Type type = getFrom().front().getType();
  for (Value value : llvm::concat<Value>(llvm::to_vector(getBody().getArguments()),
                                         llvm::to_vector(getOperands())))
    if (value.getType() != type)
      return emitOpError("expected all bounds and loop variables to have the type ")
             << type << " of the first bound, got " << value.getType();
  return success();
}
