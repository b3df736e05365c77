//===- Solves.cpp - Solves as factorisations and their use ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Solves.h"
#include "lib/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::instructions;

static Value createOne(ImplicitLocOpBuilder &builder, Value memref) {
  return createNumber(builder, getElementType(memref), 1);
}

static void decompose(SolveSpdOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value a = op.getA(), x = op.getB(), one = createOne(b, x);
  Triangle triangle = op.getTriangle();
  bool isLower = triangle == Triangle::L;
  CholeskyOp::create(b, triangle, a, op.getInfo());
  for (bool isAdjoint : {!isLower, isLower})
    TrsmOp::create(b, /*right=*/false, triangle,
                   isAdjoint ? TensorForm::C : TensorForm::N, /*unit=*/false, one, a,
                   x);
}

static void decompose(SolveLuOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value a = op.getA(), x = op.getB(), one = createOne(b, x);
  LuOp::create(b, a, op.getPiv(), op.getInfo());
  SwapRowsOp::create(b, /*reverse=*/false, op.getPiv(), x);
  for (Triangle triangle : {Triangle::L, Triangle::U})
    TrsmOp::create(b, /*right=*/false, triangle, TensorForm::N,
                   /*unit=*/triangle == Triangle::L, one, a, x);
}

/// c(i, j) := alpha sum_k op(a)(i, k) conj(op(a)(j, k)) + beta c(i, j)
static void decompose(SyrkOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  TensorForm form = op.getTranspose();
  Value a = op.getA(), c = op.getC(), beta = op.getBeta();
  Type type = op.getC().getType().getElementType();
  bool isLower = op.getTriangle() == Triangle::L;
  MatrixForm factor{a, isTransposed(form), isConjugated(form)};
  auto update = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
    auto sum =
        createFor(b, createIndex(b, 0), createSize(b, a, !isTransposed(form)),
                  createNumber(b, type, 0),
                  [&](ImplicitLocOpBuilder &b, Value k, ValueRange sum) {
                    Value product = ArithMulOp::create(
                        b, factor.load(b, i, k), factor.conjugate().load(b, j, k));
                    return SmallVector<Value>{ArithAddOp::create(b, sum[0], product)};
                  });
    auto scale = [&](Value by, Value number) -> Value {
      if (by.getType() != type)
        by = CastOp::create(b, type, by);
      return ArithMulOp::create(b, by, number);
    };
    Value number = scale(op.getAlpha(), sum.getResult(0));
    bool isBetaZero = isConstant(beta, 0);
    if (!op.getAtomic() && !isBetaZero)
      number = ArithAddOp::create(b, number, scale(beta, LoadOp::create(b, c, {i, j})));
    StoreOp::create(b, getStoreFlag(op.getAtomic(), isBetaZero), number, c, {i, j});
  };
  createForeach(b, c, [&](ImplicitLocOpBuilder &b, ValueRange i) {
    Value first = i[!isLower], second = i[isLower];
    createIf(b, CmpGeOp::create(b, b.getI1Type(), first, second),
             [&](ImplicitLocOpBuilder &b) { update(b, i[0], i[1]); });
  });
}

template <typename... Ops>
static void decomposeAll(FuncOp func) {
  SmallVector<Operation *> found;
  func.walk([&](Operation *op) {
    if (isa<Ops...>(op))
      found.push_back(op);
  });
  for (Operation *op : found) {
    ((isa<Ops>(op) ? decompose(cast<Ops>(op)) : void()), ...);
    op->erase();
  }
}

void tinytc::decomposeSolves(FuncOp func) { decomposeAll<SolveSpdOp, SolveLuOp>(func); }

void tinytc::decomposeTriangularProducts(FuncOp func) { decomposeAll<SyrkOp>(func); }
