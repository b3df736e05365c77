//===- ControlFlowOps.cpp - barrier, for, if, yield -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// BarrierOp
//===----------------------------------------------------------------------===//

LogicalResult BarrierOp::verify() {
  // barrier_c1
  for (Operation *op = (*this)->getParentOp(); op; op = op->getParentOp())
    if (isa<ForeachOp, ForeachTileOp, CooperativeMatrixApplyOp>(op))
      return emitOpError("expected a collective or parallel region around a barrier, "
                         "got the region of '")
                 .append(op->getName().getStringRef(), "'")
                 .attachNote(op->getLoc())
             << "SPMD region opened here";
  return success();
}

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

/// A work-group has no third mode.
OpFoldResult NumSubgroupsOp::fold(FoldAdaptor) {
  if (getDimension() == Dimension::Z)
    return IntegerAttr::get(getType(), 1);
  return {};
}

OpFoldResult SubgroupIdOp::fold(FoldAdaptor) {
  if (getDimension() == Dimension::Z)
    return IntegerAttr::get(getType(), 0);
  return {};
}

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

/// for ::= ssa-id (`:` type)? `=` from `,` to (`,` step)?
///         (`init` `(` (ssa-id `=` ssa-use)-list `)` `->` `(` type-list `)`)?
///         region attr-dict
ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments(1);
  SmallVector<OpAsmParser::UnresolvedOperand> range, inits;
  Type type = builder.getIndexType();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgument(arguments.front()) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(type)) ||
      parser.parseEqual() || parser.parseOperandList(range))
    return failure();
  if (range.size() != 2 && range.size() != 3)
    return parser.emitError(loc) << "expected from, to and an optional step, got "
                                 << range.size() << " values";
  arguments.front().type = type;

  SMLoc initLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("init"))) {
    if (parser.parseAssignmentList(arguments, inits) ||
        parser.parseArrowTypeList(result.types))
      return failure();
    // parseAssignmentList appends after the loop variable.
    for (auto [argument, initType] :
         llvm::zip(llvm::drop_begin(arguments), result.types))
      argument.type = initType;
  }
  if (inits.size() != result.types.size())
    return parser.emitError(initLoc) << "expected " << inits.size()
                                     << " result types, one for each loop-carried "
                                        "value, got "
                                     << result.types.size();
  Region *body = result.addRegion();
  if (parser.resolveOperands(range, type, result.operands) ||
      parser.resolveOperands(inits, result.types, initLoc, result.operands) ||
      parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, builder, result.location);
  auto &segments = result.getOrAddProperties<Properties>().operandSegmentSizes;
  int32_t sizes[] = {1, 1, static_cast<int32_t>(range.size()) - 2,
                     static_cast<int32_t>(inits.size())};
  llvm::copy(sizes, segments.begin());
  return success();
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInductionVar();
  if (!getFrom().getType().isIndex())
    printer << " : " << getFrom().getType();
  printer << " = " << getFrom() << ", " << getTo();
  if (getStep())
    printer << ", " << getStep();
  if (!getInits().empty()) {
    printer << " init(";
    llvm::interleaveComma(
        llvm::zip(getRegionIterArgs(), getInits()), printer,
        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ") -> (" << getResultTypes() << ')';
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getOperandSegmentSizesAttrName()});
}

LogicalResult ForOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getInits().getTypes());
  return success();
}

LogicalResult ForOp::verify() {
  // for_c1
  if (getStep() && getStep().getType() != getFrom().getType())
    return emitOpError("expected 'step' to have the type ")
           << getFrom().getType() << " of the bounds, got " << getStep().getType();
  // for_c2
  APInt step;
  if (getStep() && matchPattern(getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return emitOpError("expected a constant step to be positive, got ")
           << step.getSExtValue();
  // for_c6
  if (auto factor = dyn_cast_or_null<IntegerAttr>(getUnrollAttr());
      factor && factor.getType().isInteger(64) && factor.getInt() < 1)
    return emitOpError("expected to unroll at least 1 iteration, got ")
           << factor.getInt();
  // for_c3
  if (failed(verifyInferredTypes(*this, "inits")))
    return failure();
  TypeRange arguments = getBody().getArgumentTypes();
  // for_c4
  if (arguments.empty() || arguments.front() != getFrom().getType())
    return emitOpError("expected the loop variable to have the type ")
           << getFrom().getType() << " of the bounds, got (" << arguments << ")";
  if (arguments.drop_front() != getInits().getTypes())
    return emitOpError("expected the loop-carried values to have the types (")
           << getInits().getTypes() << ") of the initial values, got ("
           << arguments.drop_front() << ")";
  return success();
}

OperandRange ForOp::getEntrySuccessorOperands(RegionSuccessor) { return getInits(); }

void ForOp::getSuccessorRegions(RegionBranchPoint,
                                SmallVectorImpl<RegionSuccessor> &regions) {
  // From outside as well as from the yield: one more iteration, or the results.
  regions.emplace_back(&getBody(), getRegionIterArgs());
  regions.emplace_back(getOperation(), getResults());
}

SmallVector<Region *> ForOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> ForOp::getLoopInductionVars() {
  return SmallVector<Value>{getInductionVar()};
}

std::optional<SmallVector<OpFoldResult>> ForOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getFrom()};
}

std::optional<SmallVector<OpFoldResult>> ForOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getTo()};
}

std::optional<SmallVector<OpFoldResult>> ForOp::getLoopSteps() {
  if (getStep())
    return SmallVector<OpFoldResult>{getStep()};
  return SmallVector<OpFoldResult>{
      OpFoldResult(IntegerAttr::get(getFrom().getType(), 1))};
}

Block::BlockArgListType ForOp::getRegionIterArgs() {
  return getBody().getArguments().drop_front();
}

std::optional<MutableArrayRef<OpOperand>> ForOp::getYieldedValuesMutable() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValuesMutable();
}

std::optional<ResultRange> ForOp::getLoopResults() { return getResults(); }

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

/// if ::= ssa-use (`->` `(` type-list `)`)? region (`else` region)? attr-dict
ParseResult IfOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand condition;
  Region *thenRegion = result.addRegion();
  Region *elseRegion = result.addRegion();
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, parser.getBuilder().getI1Type(),
                            result.operands) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseRegion(*thenRegion))
    return failure();
  ensureTerminator(*thenRegion, parser.getBuilder(), result.location);
  if (succeeded(parser.parseOptionalKeyword("else"))) {
    if (parser.parseRegion(*elseRegion))
      return failure();
    ensureTerminator(*elseRegion, parser.getBuilder(), result.location);
  }
  return parser.parseOptionalAttrDict(result.attributes);
}

void IfOp::print(OpAsmPrinter &printer) {
  bool hasResults = getNumResults() != 0;
  printer << ' ' << getCondition();
  if (hasResults)
    printer << " -> (" << getResultTypes() << ')';
  printer << ' ';
  printer.printRegion(getThenRegion(), /*printEntryBlockArgs=*/false, hasResults);
  if (!getElseRegion().empty()) {
    printer << " else ";
    printer.printRegion(getElseRegion(), /*printEntryBlockArgs=*/false, hasResults);
  }
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult IfOp::verify() {
  // if_c1
  if (getNumResults() != 0 && getElseRegion().empty())
    return emitOpError("expected an else region because there are results, got none");
  return success();
}

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.emplace_back(getOperation(), getResults());
    return;
  }
  regions.emplace_back(&getThenRegion());
  if (getElseRegion().empty())
    regions.emplace_back(getOperation(), getResults());
  else
    regions.emplace_back(&getElseRegion());
}

void IfOp::getEntrySuccessorRegions(ArrayRef<Attribute> operands,
                                    SmallVectorImpl<RegionSuccessor> &regions) {
  auto condition = dyn_cast_or_null<BoolAttr>(operands.front());
  if (!condition || condition.getValue())
    regions.emplace_back(&getThenRegion());
  if (condition && condition.getValue())
    return;
  if (getElseRegion().empty())
    regions.emplace_back(getOperation(), getResults());
  else
    regions.emplace_back(&getElseRegion());
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

LogicalResult YieldOp::verify() {
  // cooperative_matrix_apply_c3, for_c5, if_c2, yield_c2
  SmallVector<Type> expected((*this)->getParentOp()->getResultTypes());
  if (isa<CooperativeMatrixApplyOp>((*this)->getParentOp()))
    llvm::transform(expected, expected.begin(), getScalarType);
  if (getOperandTypes() == TypeRange(expected))
    return success();
  return emitOpError("expected values of types (")
             .append(TypeRange(expected), "), the results of '",
                     (*this)->getParentOp()->getName().getStringRef(), "', got (",
                     getOperandTypes(), ")")
             .attachNote((*this)->getParentOp()->getLoc())
         << "values are returned from here";
}
