//===- CollectiveOps.cpp - The collective loops foreach, foreach_tile -----===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tinytc;

/// range ::= `(` ssa-id-list `)` (`:` type-list)? `=` `(` ssa-use-list `)` `,`
///           `(` ssa-use-list `)`
static ParseResult parseRange(OpAsmParser &parser, OperationState &result,
                              SmallVectorImpl<OpAsmParser::Argument> &variables) {
  SmallVector<OpAsmParser::UnresolvedOperand> from, to;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(variables, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalColonTypeList(types) || parser.parseEqual() ||
      parser.parseOperandList(from, OpAsmParser::Delimiter::Paren) ||
      parser.parseComma() || parser.parseOperandList(to, OpAsmParser::Delimiter::Paren))
    return failure();
  size_t count = variables.size();
  if (from.size() != count || to.size() != count)
    return parser.emitError(loc)
           << "expected as many bounds as loop variables (" << count << "), got "
           << from.size() << " and " << to.size();
  if (types.size() <= 1)
    types.assign(count,
                 types.empty() ? parser.getBuilder().getIndexType() : types.front());
  if (types.size() != count)
    return parser.emitError(loc) << "expected one type, or as many as loop variables ("
                                 << count << "), got " << types.size();
  for (auto [variable, type] : llvm::zip_equal(variables, types))
    variable.type = type;
  return failure(parser.resolveOperands(from, types, loc, result.operands) ||
                 parser.resolveOperands(to, types, loc, result.operands));
}

template <typename Range>
static void printList(OpAsmPrinter &printer, Range values) {
  printer << '(';
  llvm::interleaveComma(values, printer);
  printer << ')';
}

static void printRange(OpAsmPrinter &printer, ValueRange variables, OperandRange from,
                       OperandRange to) {
  printer << ' ';
  printList(printer, variables);
  TypeRange types = from.getTypes();
  if (!types.empty() && !llvm::all_equal(types))
    printer << " : " << types;
  else if (!types.empty() && !types.front().isIndex())
    printer << " : " << types.front();
  printer << " = ";
  printList(printer, from);
  printer << ", ";
  printList(printer, to);
}

/// Checks that values have the types of the lower bounds. `what` names them.
static LogicalResult verifyLoopTypes(Operation *op, OperandRange from,
                                     ValueRange values, StringRef what) {
  for (auto [lower, value] : llvm::zip_equal(from, values))
    if (value.getType() != lower.getType())
      return op->emitOpError("expected ")
             << what << " to have the type " << lower.getType()
             << " of its lower bound, got " << value.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// ForeachOp
//===----------------------------------------------------------------------===//

/// foreach ::= range region attr-dict
ParseResult ForeachOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> variables;
  Region *body = result.addRegion();
  if (parseRange(parser, result, variables) || parser.parseRegion(*body, variables) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForeachOp::print(OpAsmPrinter &printer) {
  printRange(printer, getBody().getArguments(), getFrom(), getTo());
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
  if (failed(verifyLoopTypes(*this, getFrom(), getTo(), "each upper bound")))
    return failure();
  return verifyLoopTypes(*this, getFrom(), getBody().getArguments(),
                         "each loop variable");
}

//===----------------------------------------------------------------------===//
// ForeachTileOp
//===----------------------------------------------------------------------===//

/// foreach_tile ::= range `as` `(` ssa-id-list `)` `<=` `(` integer-list `)` region
///                  attr-dict
ParseResult ForeachTileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> variables, extents;
  SmallVector<int64_t> sizes;
  if (parseRange(parser, result, variables) || parser.parseKeyword("as"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  auto parseSize = [&] { return parser.parseInteger(sizes.emplace_back()); };
  if (parser.parseArgumentList(extents, OpAsmParser::Delimiter::Paren) ||
      parser.parseLess() || parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseSize))
    return failure();
  if (extents.size() != variables.size())
    return parser.emitError(loc) << "expected as many extents as variables ("
                                 << variables.size() << "), got " << extents.size();
  for (auto [extent, variable] : llvm::zip_equal(extents, variables))
    extent.type = variable.type;
  variables.append(extents);
  result.getOrAddProperties<Properties>().sizes =
      parser.getBuilder().getDenseI64ArrayAttr(sizes);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, variables) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForeachTileOp::print(OpAsmPrinter &printer) {
  printRange(printer, getStarts(), getFrom(), getTo());
  printer << " as ";
  printList(printer, getExtents());
  printer << " <= ";
  printList(printer, getSizes());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {getSizesAttrName()});
}

LogicalResult ForeachTileOp::verifyRegions() {
  // foreach_tile_c1
  size_t count = getFrom().size();
  if (count == 0)
    return emitOpError("expected at least one variable, got none");
  if (getSizes().size() != count)
    return emitOpError("expected as many tile sizes as variables, ")
           << count << ", got " << getSizes().size();
  if (getBody().getNumArguments() != 2 * count)
    return emitOpError("expected a start and an extent for each of the ")
           << count << " variables, got " << getBody().getNumArguments()
           << " arguments of the body";
  // foreach_tile_c2
  if (failed(verifyLoopTypes(*this, getFrom(), getTo(), "each upper bound")) ||
      failed(verifyLoopTypes(*this, getFrom(), getStarts(), "each variable")) ||
      failed(verifyLoopTypes(*this, getFrom(), getExtents(), "each extent")))
    return failure();
  // foreach_tile_c3
  for (auto [size, lower] : llvm::zip_equal(getSizes(), getFrom())) {
    Type type = lower.getType();
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    if (size <= 0 || !llvm::isIntN(bits, size))
      return emitOpError("expected a positive tile size that ")
             << type << " can hold, got " << size;
  }
  // foreach_tile_c4
  auto func = (*this)->getParentOfType<FuncOp>();
  std::optional<uint32_t> subgroupSize = func ? func.getSubgroupSize() : std::nullopt;
  if (subgroupSize && *subgroupSize > 0 && getSizes().front() % *subgroupSize != 0)
    return emitOpError("expected the first tile size to be a multiple of the subgroup "
                       "size ")
           << *subgroupSize << ", got " << getSizes().front();
  return success();
}
