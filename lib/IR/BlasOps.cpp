//===- BlasOps.cpp - Verifiers of the BLAS-like instructions --------------===//

#include "lib/IR/Verify.h"

using namespace mlir;
using namespace mlir::tinytc;

LogicalResult AxpbyOp::verify() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  // axpby_c1
  if (failed(verifyShape(*this, b, applyTranspose(getTranspose(), a.type.getShape()))))
    return failure();
  // axpby_c2
  if (failed(verifyOrder(*this, b, {0, 1, 2})))
    return failure();
  // axpby_c3
  if (failed(verifyProductTypes(*this, getAlpha().getType(), a, b)))
    return failure();
  // axpby_c4
  if (failed(verifyBetaType(*this, getBeta().getType(), b)))
    return failure();
  // axpby_c5
  return verifyAtomicBeta(*this, getAtomic(), getBeta());
}

LogicalResult CumsumOp::verify() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  // cumsum_c1
  if (a.type.getOrder() < 1)
    return emitOpError("expected 'a' to have order 1 or higher, got 0");
  // cumsum_c2
  if (failed(verifyMode(*this, getMode(), a.type.getOrder())))
    return failure();
  // cumsum_c3
  if (failed(verifyShape(*this, b, a.type.getShape())))
    return failure();
  // cumsum_c4
  if (failed(verifyProductTypes(*this, getAlpha().getType(), a, b)))
    return failure();
  // cumsum_c5
  if (failed(verifyBetaType(*this, getBeta().getType(), b)))
    return failure();
  // cumsum_c6
  return verifyAtomicBeta(*this, getAtomic(), getBeta());
}

LogicalResult GemmOp::verify() {
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
  // gemm_c5
  if (failed(verifyProductTypes(*this, getAlpha().getType(), {a, b}, c)))
    return failure();
  // gemm_c6
  if (failed(verifyBetaType(*this, getBeta().getType(), c)))
    return failure();
  // gemm_c7
  return verifyAtomicBeta(*this, getAtomic(), getBeta());
}

LogicalResult GemvOp::verify() {
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
  if (failed(verifySize(*this, "the rows of 'c'", c.type.getShape()[0],
                        "the rows of op('a')", opA[0])))
    return failure();
  // gemv_c5
  if (failed(verifyProductTypes(*this, getAlpha().getType(), {a, b}, c)))
    return failure();
  // gemv_c6
  if (failed(verifyBetaType(*this, getBeta().getType(), c)))
    return failure();
  // gemv_c7
  return verifyAtomicBeta(*this, getAtomic(), getBeta());
}

LogicalResult GerOp::verify() {
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
  if (failed(verifySize(*this, "the columns of 'c'", c.type.getShape()[1],
                        "the rows of 'b'", b.type.getShape()[0])))
    return failure();
  // ger_c5
  if (failed(verifyProductTypes(*this, getAlpha().getType(), {a, b}, c)))
    return failure();
  // ger_c6
  if (failed(verifyBetaType(*this, getBeta().getType(), c)))
    return failure();
  // ger_c7
  return verifyAtomicBeta(*this, getAtomic(), getBeta());
}

LogicalResult HadamardProductOp::verify() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  NamedMemref c{"c", getC().getType()};
  // hadamard_product_c1
  if (failed(verifyOrder(*this, c, {1, 2})))
    return failure();
  // hadamard_product_c2
  if (failed(verifyShape(*this, a, c.type.getShape())) ||
      failed(verifyShape(*this, b, c.type.getShape())) ||
      failed(verifyShape(*this, b, a.type.getShape())))
    return failure();
  // hadamard_product_c3
  if (failed(verifyProductTypes(*this, getAlpha().getType(), {a, b}, c)))
    return failure();
  // hadamard_product_c4
  if (failed(verifyBetaType(*this, getBeta().getType(), c)))
    return failure();
  // hadamard_product_c5
  return verifyAtomicBeta(*this, getAtomic(), getBeta());
}

LogicalResult SumOp::verify() {
  NamedMemref a{"a", getA().getType()}, b{"b", getB().getType()};
  // sum_c1
  if (failed(verifyOrder(*this, b, {0, 1})))
    return failure();
  // sum_c2
  if (failed(verifyOrder(*this, a, b.type.getOrder() + 1)))
    return failure();
  // sum_c3
  if (b.type.getOrder() == 1 &&
      failed(verifySize(*this, "the rows of 'b'", b.type.getShape()[0],
                        "the rows of op('a')",
                        applyTranspose(getTranspose(), a.type.getShape())[0])))
    return failure();
  // sum_c4
  if (failed(verifyProductTypes(*this, getAlpha().getType(), a, b)))
    return failure();
  // sum_c5
  if (failed(verifyBetaType(*this, getBeta().getType(), b)))
    return failure();
  // sum_c6
  return verifyAtomicBeta(*this, getAtomic(), getBeta());
}
