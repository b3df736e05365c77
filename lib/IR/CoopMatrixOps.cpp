//===- CoopMatrixOps.cpp - Verifiers and folders of component instructions ===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/CoopMatrixLayout.h"
#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// CooperativeMatrixApplyOp
//===----------------------------------------------------------------------===//

/// The types of the arguments of a region that is applied to matrices.
static SmallVector<Type> getAppliedTypes(MLIRContext *context, TypeRange matrices) {
  SmallVector<Type> types(2, IntegerType::get(context, 32));
  for (Type matrix : matrices)
    types.push_back(getScalarType(matrix));
  return types;
}

/// cooperative_matrix_apply ::= `(` ssa-id `,` ssa-id (`,` ssa-id)+ `)` `=`
///                              ssa-use (`,` ssa-use)* `:` type (`,` type)*
///                              (`->` type)? region attr-dict
ParseResult CooperativeMatrixApplyOp::parse(OpAsmParser &parser,
                                            OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> matrices;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren) ||
      parser.parseEqual() || parser.parseOperandList(matrices) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(matrices, types, loc, result.operands))
    return failure();
  CoopMatrixType type = dyn_cast<CoopMatrixType>(types.front());
  if (succeeded(parser.parseOptionalArrow())) {
    if (parser.parseType(type))
      return failure();
  } else if (types.size() != 1 || !type) {
    return parser.emitError(parser.getCurrentLocation())
           << "expected '->' and the type of the result";
  }
  Builder &builder = parser.getBuilder();
  SmallVector<Type> expected = getAppliedTypes(builder.getContext(), types);
  if (arguments.size() != expected.size())
    return parser.emitError(loc) << "expected names for row, column and component, got "
                                 << arguments.size() << " names";
  for (auto [argument, argumentType] : llvm::zip(arguments, expected))
    argument.type = argumentType;
  result.addTypes(type);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void CooperativeMatrixApplyOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer);
  TypeRange types = getMatrices().getTypes();
  printer << ") = " << getMatrices() << " : " << types << ' ';
  if (types.size() != 1 || types.front() != getType())
    printer << "-> " << getType() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult CooperativeMatrixApplyOp::verify() {
  // cooperative_matrix_apply_c1
  if (getMatrices().empty())
    return emitOpError("expected one or more matrices, got none");
  for (auto [number, matrix] : llvm::enumerate(getMatrices().getTypes()))
    if (failed(verifyConversion(*this, ("matrix " + Twine(number)).str(),
                                cast<CoopMatrixType>(matrix), getType())))
      return failure();
  // cooperative_matrix_apply_c2
  SmallVector<Type> expected = getAppliedTypes(getContext(), getMatrices().getTypes());
  if (getBody().getArgumentTypes() != TypeRange(expected))
    return emitOpError("expected a region that takes row, column and component of "
                       "types (")
           << expected << "), got (" << getBody().getArgumentTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Construct, extract and insert
//===----------------------------------------------------------------------===//

/// Checks that a scalar has the component type of a matrix.
static LogicalResult verifyIsComponent(Operation *op, StringRef name, Type scalar,
                                       StringRef matrixName, CoopMatrixType matrix) {
  if (scalar == matrix.getElementType())
    return success();
  return op->emitOpError("expected '")
         << name << "' to have the component type " << matrix.getElementType()
         << " of '" << matrixName << "', got " << scalar;
}

/// Checks the place in the vector that a work-item holds of a matrix. How long the
/// vector is depends on the subgroup size, which may be chosen later.
static LogicalResult verifyComponentIndex(Operation *op, CoopMatrixType matrix,
                                          int64_t index) {
  if (index < 0)
    return op->emitOpError("expected the index to be at least 0, got ") << index;
  auto func = op->getParentOfType<FuncOp>();
  std::optional<uint32_t> size = func ? func.getSubgroupSize() : std::nullopt;
  if (!size || int32_t(*size) < 1)
    return success();
  int64_t length = CoopMatrixLayout(matrix, *size).getNumComponents();
  if (index >= length)
    return op->emitOpError("expected the index to be less than ")
           << length << ", the number of components of " << matrix
           << " that a work-item holds in a subgroup of " << *size << ", got " << index;
  return success();
}

LogicalResult CooperativeMatrixConstructOp::verify() {
  // cooperative_matrix_construct_c1
  return verifyIsComponent(*this, "scalar", getScalar().getType(), "result", getType());
}

OpFoldResult CooperativeMatrixConstructOp::fold(FoldAdaptor adaptor) {
  // The constant of a matrix is that of its components.
  return adaptor.getScalar();
}

LogicalResult CooperativeMatrixExtractOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<Type> matrix =
      getFirstType<CoopMatrixType>(location, adaptor.getOperands(), "a coopmatrix");
  if (failed(matrix))
    return failure();
  types.push_back(getScalarType(*matrix));
  return success();
}

LogicalResult CooperativeMatrixExtractOp::verify() {
  CoopMatrixType matrix = getMatrix().getType();
  // cooperative_matrix_extract_c1
  if (failed(verifyIsComponent(*this, "result", getType(), "matrix", matrix)))
    return failure();
  // cooperative_matrix_extract_c2
  return verifyComponentIndex(*this, matrix, getIndex());
}

LogicalResult CooperativeMatrixInsertOp::verify() {
  CoopMatrixType matrix = getMatrix().getType();
  // cooperative_matrix_insert_c1
  if (failed(
          verifyIsComponent(*this, "scalar", getScalar().getType(), "matrix", matrix)))
    return failure();
  // cooperative_matrix_insert_c3
  return verifyComponentIndex(*this, matrix, getIndex());
}

OpFoldResult CooperativeMatrixInsertOp::fold(FoldAdaptor) {
  // The second of two insertions at one place counts.
  auto first = getMatrix().getDefiningOp<CooperativeMatrixInsertOp>();
  if (!first || first.getIndex() != getIndex())
    return {};
  getMatrixMutable().assign(first.getMatrix());
  return getResult();
}

//===----------------------------------------------------------------------===//
// CooperativeMatrixPrefetchOp
//===----------------------------------------------------------------------===//

LogicalResult CooperativeMatrixPrefetchOp::verify() {
  // cooperative_matrix_prefetch_c1
  if (failed(verifyOrder(*this, NamedMemref{"source", getSource().getType()}, 2)))
    return failure();
  // cooperative_matrix_prefetch_c2
  if (int64_t(getLevel()) < 0)
    return emitOpError("expected the level of the cache to be at least 0, got ")
           << int64_t(getLevel());
  // cooperative_matrix_prefetch_c3
  int64_t rows = getRows(), columns = getColumns();
  if (rows < 1 || columns < 1)
    return emitOpError("expected a block of a positive size, got ")
           << rows << "x" << columns;
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The matrix of the combined rows or columns.
static CoopMatrixType getReducedType(ReduceMode mode, CoopMatrixType matrix) {
  bool isRow = mode == ReduceMode::Row;
  return CoopMatrixType::get(isRow ? matrix.getRows() : 1,
                             isRow ? 1 : matrix.getColumns(), matrix.getElementType(),
                             matrix.getUse());
}

template <typename Adaptor>
static LogicalResult inferReduction(std::optional<Location> location, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<Type> matrix =
      getFirstType<CoopMatrixType>(location, adaptor.getOperands(), "a coopmatrix");
  if (failed(matrix))
    return failure();
  // Without a mode, the verifier says so.
  bool hasMode = adaptor.getProperties().mode != nullptr;
  types.push_back(hasMode
                      ? getReducedType(adaptor.getMode(), cast<CoopMatrixType>(*matrix))
                      : cast<CoopMatrixType>(*matrix));
  return success();
}

static LogicalResult verifyReduction(Operation *op, ReduceMode mode,
                                     CoopMatrixType matrix, CoopMatrixType result) {
  CoopMatrixType expected = getReducedType(mode, matrix);
  if (result == expected)
    return success();
  // cooperative_matrix_reduce_c1
  if (result.getRows() != expected.getRows() ||
      result.getColumns() != expected.getColumns())
    return op->emitOpError("expected 'result' to have the shape ")
           << expected.getRows() << "x" << expected.getColumns() << ", got "
           << result.getRows() << "x" << result.getColumns();
  // cooperative_matrix_reduce_c2
  return op->emitOpError(
             "expected 'result' to have component type and use of 'matrix', got ")
         << result << " for " << matrix;
}

/// Folds a reduction to itself, or to its operand if there is nothing to combine.
template <typename Op>
static OpFoldResult foldReduction(Op op) {
  return op.getType() == op.getMatrix().getType() ? op.getMatrix() : Value();
}

LogicalResult CooperativeMatrixReduceAddOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferReduction(location, adaptor, types);
}
LogicalResult CooperativeMatrixReduceAddOp::verify() {
  return verifyReduction(*this, getMode(), getMatrix().getType(), getType());
}
LogicalResult CooperativeMatrixReduceMaxOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferReduction(location, adaptor, types);
}
LogicalResult CooperativeMatrixReduceMaxOp::verify() {
  return verifyReduction(*this, getMode(), getMatrix().getType(), getType());
}
LogicalResult CooperativeMatrixReduceMinOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferReduction(location, adaptor, types);
}
LogicalResult CooperativeMatrixReduceMinOp::verify() {
  return verifyReduction(*this, getMode(), getMatrix().getType(), getType());
}

OpFoldResult CooperativeMatrixReduceAddOp::fold(FoldAdaptor) {
  return foldReduction(*this);
}
OpFoldResult CooperativeMatrixReduceMaxOp::fold(FoldAdaptor) {
  return foldReduction(*this);
}
OpFoldResult CooperativeMatrixReduceMinOp::fold(FoldAdaptor) {
  return foldReduction(*this);
}
