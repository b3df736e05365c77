//===- FactorOps.cpp - Factorisations and solves --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Solves.h"
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

static LogicalResult verifySameElements(Operation *op, NamedMemref x, NamedMemref y) {
  Type first = x.type.getElementType(), second = y.type.getElementType();
  if (first == second)
    return success();
  return op->emitOpError("expected '")
         << x.name << "' and '" << y.name << "' to have the same element type, got "
         << first << " and " << second;
}

/// Checks that B has as many rows as A, on the right columns, and elements of its type.
static LogicalResult verifyRightSide(Operation *op, TypedValue<MemrefType> a,
                                     TypedValue<MemrefType> b, bool isRight = false) {
  StringRef what = isRight ? "the columns of 'b'" : "the rows of 'b'";
  if (failed(verifySize(op, what, b.getType().getShape()[isRight], "the rows of 'a'",
                        a.getType().getShape()[0])))
    return failure();
  return verifySameElements(op, getNamed("a", a), getNamed("b", b));
}

/// Checks that a vector has as many elements as the smaller size of A.
static LogicalResult verifySmallerSize(Operation *op, NamedMemref vector,
                                       TypedValue<MemrefType> a) {
  ArrayRef<int64_t> shape = a.getType().getShape();
  if (ShapedType::isDynamicShape(shape))
    return success();
  return verifySize(op, ("the size of '" + vector.name + "'").str(),
                    vector.type.getShape()[0], "the smaller size of 'a'",
                    std::min(shape[0], shape[1]));
}

LogicalResult CholeskyOp::verify() {
  // cholesky_c2
  return verifySquare(*this, getNamed("a", getA()));
}

LogicalResult LuOp::verify() {
  // lu_c2
  if (getPiv() && failed(verifySmallerSize(*this, getNamed("piv", getPiv()), getA())))
    return failure();
  // lu_c4
  if (getInfo() && !getPiv())
    return emitOpError("expected 'piv' before 'info', got none");
  return success();
}

template <typename OpT>
static LogicalResult verifyTriangular(OpT op) {
  TypedValue<MemrefType> a = op.getA(), b = op.getB();
  // trsm_c2, trmm_c2
  if (failed(verifySquare(op, getNamed("a", a))))
    return failure();
  // trsm_c4, trmm_c4
  if (op.getRight() && failed(verifyOrder(op, getNamed("b", b), 2)))
    return failure();
  // trsm_c5, trsm_c6, trmm_c5, trmm_c6
  if (failed(verifyRightSide(op, a, b, op.getRight())))
    return failure();
  // trsm_c7, trmm_c7
  Type element = b.getType().getElementType();
  if (failed(verifyAlphaType(op, op.getAlpha().getType(), element)))
    return failure();
  // trsm_c8, trmm_c8
  return verifyApart(op, "b", b, "a", a);
}

LogicalResult TrsmOp::verify() { return verifyTriangular(*this); }

LogicalResult TrmmOp::verify() { return verifyTriangular(*this); }

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
  if (failed(verifySameElements(*this, getNamed("a", getA()), c)))
    return failure();
  Type element = c.type.getElementType();
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
  if (failed(verifyRightSide(op, a, b)))
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

LogicalResult QrOp::verify() {
  NamedMemref tau = getNamed("tau", getTau());
  // qr_c3
  if (failed(verifySmallerSize(*this, tau, getA())))
    return failure();
  // qr_c4
  if (failed(verifySameElements(*this, getNamed("a", getA()), tau)))
    return failure();
  // qr_c5
  return verifyApart(*this, "tau", getTau(), "a", getA());
}

LogicalResult ApplyQOp::verify() {
  NamedMemref tau = getNamed("tau", getTau());
  // apply_q_c3
  if (failed(verifySmallerSize(*this, tau, getA())))
    return failure();
  // apply_q_c4
  if (failed(verifySameElements(*this, getNamed("a", getA()), tau)))
    return failure();
  // apply_q_c6
  if (getRight() && failed(verifyOrder(*this, getNamed("b", getB()), 2)))
    return failure();
  // apply_q_c7, apply_q_c8
  if (failed(verifyRightSide(*this, getA(), getB(), getRight())))
    return failure();
  // apply_q_c9, apply_q_c10
  if (failed(verifyApart(*this, "b", getB(), "a", getA())))
    return failure();
  return verifyApart(*this, "b", getB(), "tau", getTau());
}

LogicalResult EighOp::verify() {
  NamedMemref a = getNamed("a", getA()), w = getNamed("w", getW());
  // eigh_c2
  if (failed(verifySquare(*this, a)))
    return failure();
  // eigh_c4
  int64_t size = a.type.getShape()[0];
  if (failed(verifySize(*this, "the size of 'w'", w.type.getShape()[0],
                        "the rows of 'a'", size)))
    return failure();
  // eigh_c5
  Type real = getRealPartType(a.type.getElementType());
  if (w.type.getElementType() != real)
    return emitOpError("expected 'w' to have elements of type ")
           << real << ", got " << w.type.getElementType();
  // eigh_c6
  if (size > kMaxEigenvalues)
    return emitOpError("expected 'a' to have at most ")
           << kMaxEigenvalues << " rows, got " << size;
  // eigh_c8
  return verifyApart(*this, "w", getW(), "a", getA());
}
