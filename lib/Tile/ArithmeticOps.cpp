//===- ArithmeticOps.cpp - Comparisons, products, conversions -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult CmpFOp::verify() {
  return verifySameShape(*this, {"result", getResult()}, {"lhs", getLhs()}); // cmpf_c1
}

LogicalResult CmpIOp::verify() {
  return verifySameShape(*this, {"result", getResult()}, {"lhs", getLhs()}); // cmpi_c1
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Checks that the tiles are matrices, or batches of them, that fit in a product.
static LogicalResult verifyProduct(Operation *op, NamedTile lhs, NamedTile rhs,
                                   NamedTile acc) {
  ArrayRef<int64_t> shape = lhs.getType().getShape();
  if (shape.size() != 2 && shape.size() != 3)
    return op->emitOpError() << "expected '" << lhs.name
                             << "' to have 2 or 3 dimensions, got " << shape.size();
  if (failed(verifySameRank(op, rhs, lhs)) || failed(verifySameRank(op, acc, lhs)))
    return failure();
  SmallVector<int64_t> inner(rhs.getType().getShape()), outer(shape);
  outer.back() = inner.back();
  inner[inner.size() - 2] = shape.back();
  if (shape.size() == 3)
    inner[0] = shape[0];
  if (failed(verifyShape(op, rhs, inner)))
    return failure();
  return verifyShape(op, acc, outer);
}

/// Whether products of numbers of type `element` can be added up in type `acc`.
static bool canAccumulate(Type element, Type acc) {
  if (element.isF64() || element.isF32())
    return acc == element;
  if (element.isBF16() || element.isTF32())
    return acc.isF32();
  return acc.isF16() || acc.isF32();
}

LogicalResult MmaFOp::verify() {
  NamedTile lhs{"lhs", getLhs()}, rhs{"rhs", getRhs()}, acc{"acc", getAcc()};
  // mmaf_c1
  if (failed(verifySameElements(*this, rhs, lhs)))
    return failure();
  Type element = lhs.getType().getElementType(), sum = acc.getType().getElementType();
  if (!canAccumulate(element, sum))
    return emitOpError() << "expected 'acc' to have elements that products of "
                         << element << " are added up in, got " << sum;
  return verifyProduct(*this, lhs, rhs, acc); // mmaf_c2
}

LogicalResult MmaIOp::verify() {
  return verifyProduct(*this, {"lhs", getLhs()}, {"rhs", getRhs()}, // mmai_c1
                       {"acc", getAcc()});
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename ConversionOp>
static LogicalResult verifyConversion(ConversionOp op) {
  return verifySameShape(op, {"result", op.getResult()},
                         {"source", op.getSource()}); // convert_c1
}

template <typename ConversionOp>
static LogicalResult verifyWidth(ConversionOp op, StringRef rule,
                                 function_ref<bool(unsigned, unsigned)> isAllowed) {
  if (failed(verifyConversion(op)))
    return failure();
  unsigned from = op.getSource().getType().getElementTypeBitWidth();
  unsigned to = op.getType().getElementTypeBitWidth();
  if (isAllowed(from, to))
    return success();
  return op.emitOpError() << "expected elements " << rule << " " << from
                          << " bits, got " << to;
}

LogicalResult BitcastOp::verify() {
  return verifyWidth(*this, "of", std::equal_to<unsigned>()); // bitcast_c1
}

LogicalResult ExtIOp::verify() {
  return verifyWidth(*this, "of more than", std::less<unsigned>()); // exti_c1
}

LogicalResult TruncIOp::verify() {
  return verifyWidth(*this, "of less than", std::greater<unsigned>()); // trunci_c1
}

LogicalResult FToFOp::verify() {
  if (failed(verifyConversion(*this)))
    return failure();
  // ftof_c1
  if (getType().getElementType() == getSource().getType().getElementType())
    return emitOpError() << "expected another element type, got the same, "
                         << getType().getElementType();
  return success();
}

LogicalResult FToIOp::verify() { return verifyConversion(*this); }

LogicalResult IToFOp::verify() { return verifyConversion(*this); }

LogicalResult IntToPtrOp::verify() { return verifyConversion(*this); }

LogicalResult PtrToIntOp::verify() { return verifyConversion(*this); }

LogicalResult PtrToPtrOp::verify() { return verifyConversion(*this); }
