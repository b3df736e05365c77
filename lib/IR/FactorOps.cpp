//===- FactorOps.cpp - Factorisations and solves --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

using namespace mlir;
using namespace mlir::tinytc;

static NamedMemref getNamed(StringRef name, TypedValue<MemrefType> memref) {
  return {name, memref.getType()};
}

static LogicalResult verifySquare(Operation *op, NamedMemref matrix) {
  ArrayRef<int64_t> shape = matrix.type.getShape();
  if (isCompatible(shape[0], shape[1]))
    return success();
  return op->emitOpError("expected '")
         << matrix.name << "' to be square, got " << formatSizes(shape);
}

/// Checks that B has as many rows as A, and elements of its type that are not its own.
static LogicalResult verifyRightSide(Operation *op, TypedValue<MemrefType> a,
                                     TypedValue<MemrefType> b, bool isTransposed,
                                     StringRef what) {
  if (failed(verifySize(op, what, b.getType().getShape()[isTransposed],
                        "the rows of 'a'", a.getType().getShape()[0])))
    return failure();
  Type expected = a.getType().getElementType(), found = b.getType().getElementType();
  if (expected != found)
    return op->emitOpError("expected 'a' and 'b' to have the same element type, got ")
           << expected << " and " << found;
  return success();
}

LogicalResult CholeskyOp::verify() {
  // cholesky_c2
  return verifySquare(*this, getNamed("a", getA()));
}

LogicalResult LuOp::verify() {
  // lu_c2
  ArrayRef<int64_t> shape = getA().getType().getShape();
  bool isKnown = !ShapedType::isDynamicShape(shape);
  if (getPiv() && isKnown &&
      failed(verifySize(*this, "the size of 'piv'", getPiv().getType().getShape()[0],
                        "the smaller size of 'a'", std::min(shape[0], shape[1]))))
    return failure();
  // lu_c4
  if (getInfo() && !getPiv())
    return emitOpError("expected 'piv' before 'info', got none");
  return success();
}

LogicalResult TrsmOp::verify() {
  // trsm_c2
  if (failed(verifySquare(*this, getNamed("a", getA()))))
    return failure();
  // trsm_c4
  if (getRight() && failed(verifyOrder(*this, getNamed("b", getB()), 2)))
    return failure();
  // trsm_c5, trsm_c6
  if (failed(verifyRightSide(*this, getA(), getB(), getRight(),
                             getRight() ? "the columns of 'b'" : "the rows of 'b'")))
    return failure();
  // trsm_c7
  Type element = getB().getType().getElementType();
  if (failed(verifyAlphaType(*this, getAlpha().getType(), element)))
    return failure();
  // trsm_c8
  return verifyApart(*this, "b", getB(), "a", getA());
}

LogicalResult SwapRowsOp::verify() {
  // swap_rows_c3
  int64_t count = getPiv().getType().getShape()[0];
  int64_t rows = getB().getType().getShape()[0];
  if (!ShapedType::isDynamic(count) && !ShapedType::isDynamic(rows) && count > rows)
    return emitOpError("expected 'piv' to have at most as many elements as 'b' has "
                       "rows, ")
           << rows << ", got " << count;
  return success();
}

LogicalResult SyrkOp::verify() {
  NamedMemref c = getNamed("c", getC());
  // syrk_c3
  if (failed(verifySquare(*this, c)))
    return failure();
  // syrk_c4
  ArrayRef<int64_t> shape = getA().getType().getShape();
  if (failed(verifySize(*this, "the rows of 'c'", c.type.getShape()[0],
                        "the rows of op('a')",
                        applyTranspose(getTranspose(), shape)[0])))
    return failure();
  // syrk_c5
  Type element = c.type.getElementType(), found = getA().getType().getElementType();
  if (element != found)
    return emitOpError("expected 'a' and 'c' to have the same element type, got ")
           << found << " and " << element;
  // syrk_c6
  if (failed(verifyAlphaType(*this, getAlpha().getType(), element)))
    return failure();
  // syrk_c7
  if (failed(verifyBetaType(*this, getBeta().getType(), c)))
    return failure();
  // syrk_c8
  if (failed(verifyAtomicBeta(*this, getAtomic(), getBeta())))
    return failure();
  // syrk_c9
  return verifyApart(*this, "c", getC(), "a", getA());
}

/// Checks the operands that both solves have.
static LogicalResult verifySolve(Operation *op, TypedValue<MemrefType> a,
                                 TypedValue<MemrefType> b) {
  if (failed(verifyRightSide(op, a, b, /*isTransposed=*/false, "the rows of 'b'")))
    return failure();
  return verifyApart(op, "b", b, "a", a);
}

LogicalResult SolveSpdOp::verify() {
  // solve_spd_c2
  if (failed(verifySquare(*this, getNamed("a", getA()))))
    return failure();
  // solve_spd_c4, solve_spd_c5, solve_spd_c6
  return verifySolve(*this, getA(), getB());
}

LogicalResult SolveLuOp::verify() {
  // solve_lu_c2
  if (failed(verifySquare(*this, getNamed("a", getA()))))
    return failure();
  // solve_lu_c4
  if (failed(verifySize(*this, "the size of 'piv'", getPiv().getType().getShape()[0],
                        "the rows of 'a'", getA().getType().getShape()[0])))
    return failure();
  // solve_lu_c6, solve_lu_c7, solve_lu_c8
  return verifySolve(*this, getA(), getB());
}
