//===- BlasOps.cpp - The BLAS-like instructions ---------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The common rules are checked once, for the interface; each op says
// what its product is and checks its shapes.
//
//===----------------------------------------------------------------------===//

#include "lib/IR/Verify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

#include "dialect/TinyTCInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// The factors under the names of their operands.
static SmallVector<NamedMemref, 2> getNamedFactors(BlasOpInterface op) {
  SmallVector<NamedMemref, 2> named;
  for (auto [name, factor] : llvm::zip(ArrayRef<StringRef>{"a", "b"}, op.getFactors()))
    named.push_back({name, cast<MemrefType>(factor.operand->get().getType())});
  return named;
}

/// The destination, the operand after the factors in the order of names.
static NamedMemref getNamedDestination(BlasOpInterface op) {
  return {op.getFactors().size() == 1 ? "b" : "c", op.getDestination().getType()};
}

LogicalResult tinytc::verifyAlphaType(Operation *op, Type alpha, Type product) {
  if (isPromotable(alpha, product))
    return success();
  return op->emitOpError("expected 'alpha' to have a type that is promotable to ")
         << product << ", got " << alpha;
}

/// Checks type(alpha) <= promote of the factors' element types <= that of the result.
static LogicalResult verifyProductTypes(BlasOpInterface op) {
  SmallVector<NamedMemref, 2> factors = getNamedFactors(op);
  Type product = factors.front().type.getElementType();
  for (auto [name, type] : ArrayRef(factors).drop_front()) {
    Type promoted = promote(product, type.getElementType());
    if (!promoted)
      return op->emitOpError("expected '")
             << factors.front().name << "' and '" << name
             << "' to have element types of which one is promotable to the other, got "
             << product << " and " << type.getElementType();
    product = promoted;
  }
  if (failed(verifyAlphaType(op, op.getAlpha().getType(), product)))
    return failure();
  NamedMemref result = getNamedDestination(op);
  Type resultType = result.type.getElementType();
  if (!isPromotable(product, resultType))
    return op->emitOpError("expected '")
           << result.name << "' to have an element type that " << product
           << " is promotable to, got " << resultType;
  return success();
}

LogicalResult tinytc::verifyBetaType(Operation *op, Type beta, NamedMemref result) {
  Type resultType = result.type.getElementType();
  if (isPromotable(beta, resultType))
    return success();
  return op->emitOpError("expected 'beta' to have a type that is promotable to the "
                         "element type ")
         << resultType << " of '" << result.name << "', got " << beta;
}

LogicalResult tinytc::verifyAtomicBeta(Operation *op, bool isAtomic, Value beta) {
  if (!isAtomic || isConstant(beta, 0) || isConstant(beta, 1))
    return success();
  Attribute value;
  if (!matchPattern(beta, m_Constant(&value)))
    return op->emitOpError("expected 'beta' of an atomic update to be a constant 0 or "
                           "1, got a value that is not constant");
  return op->emitOpError(
             "expected 'beta' of an atomic update to be a constant 0 or 1, got ")
         << value;
}

LogicalResult tinytc::verifyBlasOp(BlasOpInterface op) {
  NamedMemref result = getNamedDestination(op);
  if (failed(op.verifyShapes()) || failed(verifyProductTypes(op)) ||
      failed(verifyBetaType(op, op.getBeta().getType(), result)))
    return failure();
  if (failed(verifyAtomicBeta(op, op.getAtomic(), op.getBeta())))
    return failure();
  return verifyOverlap(op, result.name);
}

SmallVector<int64_t> tinytc::getProductShape(BlasOpInterface op) {
  SmallVector<int64_t> shape(op.getDestination().getType().getShape());
  for (const BlasFactor &factor : op.getFactors()) {
    auto type = cast<MemrefType>(factor.operand->get().getType());
    for (auto [mode, size] : llvm::zip(factor.modes, type.getShape())) {
      shape.resize(std::max<size_t>(shape.size(), mode + 1), ShapedType::kDynamic);
      if (ShapedType::isDynamic(shape[mode]))
        shape[mode] = size;
    }
  }
  return shape;
}

/// A factor, whose modes without a transposition are these.
static BlasFactor getFactor(OpOperand &operand, TensorForm form,
                            ArrayRef<unsigned> modes) {
  SmallVector<unsigned, 3> ownModes(modes);
  if (isTransposed(form))
    std::reverse(ownModes.begin(), ownModes.end());
  return {&operand, ownModes, isConjugated(form)};
}

/// All modes of a memref in order.
static SmallVector<unsigned, 3> getModes(MemrefType type) {
  return llvm::to_vector<3>(llvm::seq<unsigned>(0, type.getOrder()));
}

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

SmallVector<BlasFactor, 2> AxpbyOp::getFactors() {
  return {getFactor(getAMutable(), getTranspose(), getModes(getA().getType()))};
}

LogicalResult AxpbyOp::verifyShapes() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  // axpby_c1
  if (failed(verifyShape(*this, b, applyTranspose(getTranspose(), a.type.getShape()))))
    return failure();
  // axpby_c2
  return verifyOrder(*this, b, {0, 1, 2});
}

SmallVector<BlasFactor, 2> CumsumOp::getFactors() {
  return {{&getAMutable(), getModes(getA().getType())}};
}

LogicalResult CumsumOp::verifyShapes() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  // cumsum_c1
  if (a.type.getOrder() < 1)
    return emitOpError("expected 'a' to have order 1 or higher, got 0");
  // cumsum_c2
  if (failed(verifyMode(*this, getMode(), a.type.getOrder())))
    return failure();
  // cumsum_c3
  return verifyShape(*this, b, a.type.getShape());
}

SmallVector<BlasFactor, 2> GemmOp::getFactors() {
  return {getFactor(getAMutable(), getTransposeA(), {0, 2}),
          getFactor(getBMutable(), getTransposeB(), {2, 1})};
}

LogicalResult GemmOp::verifyShapes() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  NamedMemref c{"c", getC().getType()};
  // gemm_c1
  if (failed(verifyOrder(*this, {a, b, c}, 2)))
    return failure();
  SmallVector<int64_t> opA = applyTranspose(getTransposeA(), a.type.getShape());
  SmallVector<int64_t> opB = applyTranspose(getTransposeB(), b.type.getShape());
  // gemm_c2
  if (failed(verifySize(*this, "the rows of op('b')", opB[0], "the columns of op('a')",
                        opA[1])))
    return failure();
  // gemm_c3
  if (failed(verifySize(*this, "the rows of 'c'", c.type.getShape()[0],
                        "the rows of op('a')", opA[0])))
    return failure();
  // gemm_c4
  if (failed(verifySize(*this, "the columns of 'c'", c.type.getShape()[1],
                        "the columns of op('b')", opB[1])))
    return failure();
  // attribute_c5
  return verifyLocalOffset(*this, a.type.getElementType());
}

SmallVector<BlasFactor, 2> GemvOp::getFactors() {
  return {getFactor(getAMutable(), getTransposeA(), {0, 1}), {&getBMutable(), {1}}};
}

LogicalResult GemvOp::verifyShapes() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  NamedMemref c{"c", getC().getType()};
  // gemv_c1
  if (failed(verifyOrder(*this, a, 2)))
    return failure();
  // gemv_c2
  if (failed(verifyOrder(*this, {b, c}, 1)))
    return failure();
  SmallVector<int64_t> opA = applyTranspose(getTransposeA(), a.type.getShape());
  // gemv_c3
  if (failed(verifySize(*this, "the rows of 'b'", b.type.getShape()[0],
                        "the columns of op('a')", opA[1])))
    return failure();
  // gemv_c4
  return verifySize(*this, "the rows of 'c'", c.type.getShape()[0],
                    "the rows of op('a')", opA[0]);
}

SmallVector<BlasFactor, 2> GerOp::getFactors() {
  return {{&getAMutable(), {0}}, {&getBMutable(), {1}}};
}

LogicalResult GerOp::verifyShapes() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  NamedMemref c{"c", getC().getType()};
  // ger_c1
  if (failed(verifyOrder(*this, {a, b}, 1)))
    return failure();
  // ger_c2
  if (failed(verifyOrder(*this, c, 2)))
    return failure();
  // ger_c3
  if (failed(verifySize(*this, "the rows of 'c'", c.type.getShape()[0],
                        "the rows of 'a'", a.type.getShape()[0])))
    return failure();
  // ger_c4
  return verifySize(*this, "the columns of 'c'", c.type.getShape()[1],
                    "the rows of 'b'", b.type.getShape()[0]);
}

SmallVector<BlasFactor, 2> HadamardProductOp::getFactors() {
  return {{&getAMutable(), getModes(getA().getType())},
          {&getBMutable(), getModes(getB().getType())}};
}

LogicalResult HadamardProductOp::verifyShapes() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  NamedMemref c{"c", getC().getType()};
  // hadamard_product_c1
  if (failed(verifyOrder(*this, c, {1, 2})))
    return failure();
  // hadamard_product_c2
  if (failed(verifyShape(*this, a, c.type.getShape())) ||
      failed(verifyShape(*this, b, c.type.getShape())))
    return failure();
  return verifyShape(*this, b, a.type.getShape());
}

SmallVector<BlasFactor, 2> SumOp::getFactors() {
  return {getFactor(getAMutable(), getTranspose(), getModes(getA().getType()))};
}

LogicalResult SumOp::verifyShapes() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  // sum_c1
  if (failed(verifyOrder(*this, b, {0, 1})))
    return failure();
  // sum_c2
  if (failed(verifyOrder(*this, a, b.type.getOrder() + 1)))
    return failure();
  // sum_c3
  if (b.type.getOrder() == 0)
    return success();
  return verifySize(*this, "the rows of 'b'", b.type.getShape()[0],
                    "the rows of op('a')",
                    applyTranspose(getTranspose(), a.type.getShape())[0]);
}
