//===- ShapeOps.cpp - Constants and the shapes of tiles -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  TileType type = getType();
  // iota_c1
  if (type.getRank() != 1)
    return emitOpError() << "expected a tile of one dimension, got " << type.getRank();
  // iota_c2
  unsigned width = type.getElementTypeBitWidth();
  if (width < 63 && (type.getShape()[0] - 1) >> width)
    return emitOpError() << "expected an element type for numbers up to "
                         << type.getShape()[0] - 1 << ", got " << type.getElementType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  NamedTile result{"result", getResult()}, source{"source", getSource()};
  if (failed(verifySameElements(*this, result, source))) // reshape_c1
    return failure();
  // reshape_c2
  int64_t elements = getType().getNumElements();
  int64_t expected = getSource().getType().getNumElements();
  if (elements != expected)
    return emitOpError() << "expected 'result' to have " << expected
                         << " elements, got " << elements;
  return success();
}

LogicalResult BroadcastOp::verify() {
  NamedTile result{"result", getResult()}, source{"source", getSource()};
  if (failed(verifySameElements(*this, result, source)) || // broadcast_c1
      failed(verifySameRank(*this, result, source)))       // broadcast_c2
    return failure();
  // broadcast_c3
  for (auto [from, to] :
       llvm::zip(getSource().getType().getShape(), getType().getShape()))
    if (from != 1 && from != to)
      return emitOpError() << "expected sizes of 'source' to be 1 or " << to << ", got "
                           << from;
  return success();
}

LogicalResult PermuteOp::verify() {
  NamedTile result{"result", getResult()}, source{"source", getSource()};
  if (failed(verifySameElements(*this, result, source))) // permute_c1
    return failure();
  // permute_c2
  ArrayRef<int64_t> shape = getSource().getType().getShape();
  if (getPermutation().size() != shape.size() || !isPermutation(getPermutation())) {
    InFlightDiagnostic error = emitOpError();
    error << "expected a permutation of " << shape.size() << " dimensions, got [";
    llvm::interleaveComma(getPermutation(), error);
    return error << "]";
  }
  SmallVector<int64_t> expected;
  for (int32_t dim : getPermutation())
    expected.push_back(shape[dim]);
  return verifyShape(*this, result, expected); // permute_c3
}

LogicalResult ExtractOp::verify() {
  NamedTile result{"result", getResult()}, source{"source", getSource()};
  if (failed(verifySameElements(*this, result, source)) || // extract_c1
      failed(verifySameRank(*this, result, source)))       // extract_c2
    return failure();
  int64_t rank = getType().getRank(), indices = getIndices().size();
  if (indices != rank)
    return emitOpError() << "expected " << rank << " indices, got " << indices;
  // extract_c3
  for (auto [from, to] :
       llvm::zip(getSource().getType().getShape(), getType().getShape()))
    if (from % to != 0)
      return emitOpError()
             << "expected sizes of 'result' to divide those of 'source', got " << to
             << " for " << from;
  return success();
}

LogicalResult CatOp::verify() {
  NamedTile result{"result", getResult()}, lhs{"lhs", getLhs()}, rhs{"rhs", getRhs()};
  if (failed(verifySameElements(*this, result, lhs)) || // cat_c1
      failed(verifySameElements(*this, rhs, lhs)) ||
      failed(verifySameRank(*this, result, lhs)) || // cat_c2
      failed(verifySameRank(*this, rhs, lhs)) ||
      failed(verifyDimension(*this, getDim(), result)))
    return failure();
  // cat_c3
  SmallVector<int64_t> sizes(getLhs().getType().getShape());
  sizes[getDim()] = getRhs().getType().getShape()[getDim()];
  if (failed(verifyShape(*this, rhs, sizes)))
    return failure();
  sizes[getDim()] += getLhs().getType().getShape()[getDim()];
  return verifyShape(*this, result, sizes);
}

LogicalResult SelectOp::verify() {
  return verifySameShape(*this, {"cond", getCond()},
                         {"result", getResult()}); // select_c1
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Checks that there is one identity for each operand, of its element type.
static LogicalResult verifyIdentities(Operation *op, ValueRange operands,
                                      ArrayAttr identities) {
  if (identities.size() != operands.size())
    return op->emitOpError() << "expected an identity for each of " << operands.size()
                             << " operands, got " << identities.size();
  for (auto [operand, identity] : llvm::zip(operands, identities)) {
    Type expected = cast<TileType>(operand.getType()).getElementType();
    auto number = dyn_cast<TypedAttr>(identity);
    if (!number || !isa<IntegerAttr, FloatAttr>(identity) ||
        number.getType() != expected)
      return op->emitOpError()
             << "expected an identity of type " << expected << ", got " << identity;
  }
  return success();
}

/// The types that the body of a reduction takes for its operands, or yields: scalars,
/// each `copies` times.
static SmallVector<Type> scalarTypes(ValueRange operands, int copies) {
  SmallVector<Type> types;
  for (Value operand : operands)
    types.append(copies, TileType::get({}, getElementTypeOrSelf(operand.getType())));
  return types;
}

static LogicalResult verifyBody(Operation *op, Region &body, ValueRange operands) {
  return verifyLeavingTypes(op, body.getArgumentTypes(), "elements and values so far",
                            scalarTypes(operands, 2));
}

LogicalResult ReduceOp::verifyRegions() {
  if (getOperands().empty())
    return emitOpError() << "expected at least one operand, got 0"; // reduce_c1
  if (failed(verifyIdentities(*this, getOperands(), getIdentities())))
    return failure();
  // reduce_c2
  NamedTile first{"operands", getOperands()[0]};
  if (failed(verifyDimension(*this, getDim(), first)))
    return failure();
  for (Value operand : getOperands())
    if (failed(verifySameShape(*this, {"operands", operand}, first)))
      return failure();
  // reduce_c3
  SmallVector<int64_t> shape(first.getType().getShape());
  shape.erase(shape.begin() + getDim());
  SmallVector<Type> expected;
  for (Value operand : getOperands())
    expected.push_back(TileType::get(shape, getElementTypeOrSelf(operand.getType())));
  if (failed(verifyLeavingTypes(*this, getResultTypes(), "reduced operands", expected)))
    return failure();
  return verifyBody(*this, getBody(), getOperands()); // reduce_c4
}

LogicalResult ScanOp::verifyRegions() {
  // scan_c1
  if (getOperands().size() != 1)
    return emitOpError() << "expected one operand, got " << getOperands().size();
  if (failed(verifyIdentities(*this, getOperands(), getIdentities())) ||
      failed(verifyDimension(*this, getDim(),
                             {"operands", getOperands()[0]})) ||     // scan_c2
      failed(verifyLeavingTypes(*this, getResultTypes(), "operands", // scan_c3
                                getOperands().getTypes())))
    return failure();
  return verifyBody(*this, getBody(), getOperands()); // scan_c4
}

LogicalResult YieldOp::verify() {
  // yield_c1
  Operation *parent = getOperation()->getParentOp();
  TypeRange types = getOperands().getTypes();
  if (auto branch = dyn_cast<IfOp>(parent))
    return verifyLeavingTypes(*this, types, "the branch's results",
                              branch.getResultTypes());
  return verifyLeavingTypes(*this, types, "the reduction's elements",
                            scalarTypes(parent->getOperands(), 1));
}
