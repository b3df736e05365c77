//===- ExpandTriangularProducts.cpp - Products of triangles as products ---===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Transforms/Factorizations.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace mlir::tinytc::instructions {

namespace {

/// Makes the products of one instruction.
struct TriangularProduct : Expander {
  explicit TriangularProduct(Operation *op) : Expander(op) {}

  void expandOp(SyrkOp op);
  void expandOp(TrmmOp op);

private:
  void multiply(const Triangular &own, Extent size);
};

} // namespace

/// Blocks of columns: the block on the diagonal is computed in local memory, since a
/// product would write both triangles.
void TriangularProduct::expandOp(SyrkOp op) {
  MatrixForm a{op.getA(), isTransposed(op.getTranspose()),
               isConjugated(op.getTranspose())};
  MatrixForm c{op.getC()};
  bool isLower = op.getTriangle() == Triangle::L, isAtomic = op.getAtomic();
  Value alpha = op.getAlpha(), beta = op.getBeta(),
        zero = number(getElementType(c.memref), 0);
  bool readsC = !isAtomic && !isConstant(beta, 0);
  Extent size = known(known(rows(c), columns(c)), rows(a)), summed = columns(a);
  requireEqual(rows(c), columns(c), "'c' is square");
  requireEqual(rows(c), rows(a), "'c' fits 'a'");
  MatrixForm memory = createLocalBlock(getElementType(c.memref), size, size);
  auto product = [&](const MatrixForm &x, const MatrixForm &y, bool isAtomic,
                     Value beta, const MatrixForm &z) {
    MatrixForm other = y.adjoint();
    GemmOp::create(b, x.getForm(), other.getForm(), isAtomic, alpha, x.memref,
                   other.memref, beta, z.memref);
  };
  forBlocks(size, /*isBackward=*/false, [&](Extent k, Extent width) {
    MatrixForm own = block(a, k, known(0), width, summed);
    MatrixForm diagonal = block(c, k, k, width, width);
    MatrixForm copy = block(memory, known(0), known(0), width, width);
    auto isInTriangle = [&](ValueRange i) -> Value {
      return CmpGeOp::create(b, b.getI1Type(), i[!isLower], i[isLower]);
    };
    if (readsC)
      createForeach(b, copy.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
        StoreOp::create(b, StoreFlag::Regular, zero, copy.memref, i);
        createIf(b, isInTriangle(i), [&](ImplicitLocOpBuilder &) {
          Value element = LoadOp::create(b, diagonal.memref, i);
          StoreOp::create(b, StoreFlag::Regular, element, copy.memref, i);
        });
      });
    product(own, own, /*isAtomic=*/false, readsC ? beta : zero, copy);
    StoreFlag flag = getStoreFlag(isAtomic, isConstant(beta, 0));
    createForeach(b, copy.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
      createIf(b, isInTriangle(i), [&](ImplicitLocOpBuilder &) {
        Value element = LoadOp::create(b, copy.memref, i);
        StoreOp::create(b, flag, element, diagonal.memref, i);
      });
    });
    Extent next = add(k, width), rest = subtract(size, next);
    if (isNone(rest) || !getConstantIntValue(width))
      return;
    MatrixForm other = block(a, next, known(0), rest, summed);
    if (isLower)
      product(other, own, isAtomic, beta, block(c, next, k, rest, width));
    else
      product(own, other, isAtomic, beta, block(c, k, next, width, rest));
  });
}

/// X := T X for a block of `size` rows: each column is the work of one work-item. A row
/// is replaced when those that come later need it no more.
void TriangularProduct::multiply(const Triangular &own, Extent size) {
  MatrixForm t = own.t, x = own.x;
  bool isLower = own.isLower;
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  Value last = ArithSubOp::create(b, value(size), one);
  forEach(zero, value(columns(x)), [&](Value c) {
    loop(zero, value(size), [&](Value n) {
      Value i = isLower ? Value(ArithSubOp::create(b, last, n)) : n;
      Value element = load(x, i, c);
      if (!own.isUnit)
        element = ArithMulOp::create(b, load(t, i, i), element);
      Value from = isLower ? zero : Value(ArithAddOp::create(b, i, one));
      Value to = isLower ? i : value(size);
      auto sum = createFor(
          b, from, to, element,
          [&](ImplicitLocOpBuilder &, Value p, ValueRange carried) {
            Value product = ArithMulOp::create(b, load(t, i, p), load(x, p, c));
            return SmallVector<Value>{ArithAddOp::create(b, carried[0], product)};
          });
      store(x, sum.getResult(0), i, c);
    });
  });
}

void TriangularProduct::expandOp(TrmmOp op) {
  Triangular whole = scaleTriangular(op);
  MatrixForm t = whole.t, x = whole.x;
  bool isLower = whole.isLower;
  Extent size = known(known(rows(t), columns(t)), rows(x)), count = columns(x);
  if (isNone(count))
    return;
  forBlocks(size, /*isBackward=*/isLower, [&](Extent k, Extent width) {
    MatrixForm own = block(x, k, known(0), width, count);
    multiply({block(t, k, k, width, width), own, isLower, whole.isUnit}, width);
    Extent next = isLower ? known(0) : add(k, width);
    Extent rest = isLower ? k : subtract(size, next);
    if (isNone(rest) || (!isLower && !getConstantIntValue(width)))
      return;
    product(1, block(t, k, next, width, rest), block(x, next, known(0), rest, count), 1,
            own);
  });
}

void expand(SyrkOp op) { TriangularProduct(op).expandOp(op); }

void expand(TrmmOp op) { TriangularProduct(op).expandOp(op); }

} // namespace mlir::tinytc::instructions
