//===- Solves.cpp - Solves as factorisations and their use ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Solves.h"

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

void instructions::createMatrixProduct(ImplicitLocOpBuilder &b, Value alpha,
                                       MatrixForm x, MatrixForm y, double beta,
                                       MatrixForm z) {
  if (z.isTransposed) {
    std::swap(x, y);
    x = x.transpose();
    y = y.transpose();
  }
  if (z.isConjugated) {
    x = x.conjugate();
    y = y.conjugate();
    alpha = createConjugate(b, alpha);
  }
  GemmOp::create(b, x.getForm(), y.getForm(), /*atomic=*/false, alpha, x.memref,
                 y.memref, createNumber(b, alpha.getType(), beta), z.memref);
}

Value instructions::createConjugate(ImplicitLocOpBuilder &b, Value number) {
  bool isComplex = isa<ComplexType>(number.getType());
  return isComplex ? ArithConjOp::create(b, number).getResult() : number;
}

MatrixForm instructions::asMatrix(ImplicitLocOpBuilder &b, Value memref) {
  auto type = cast<MemrefType>(memref.getType());
  if (type.getOrder() == 2)
    return {memref};
  int64_t shape[] = {type.getShape()[0], 1};
  SmallVector<Value> sizes;
  if (type.isDynamicSize(0))
    sizes.push_back(createSize(b, memref, 0));
  Type result = ExpandOp::inferResultType(b.getLoc(), type, 0, shape);
  return {ExpandOp::create(b, result, memref, 0, shape, sizes)};
}

/// Fills a vector with that of reflection j: 0 in the rows before j, 1 in row j.
static void fillReflection(ImplicitLocOpBuilder &b, Value v, Value j,
                           function_ref<Value(ImplicitLocOpBuilder &, Value)> below) {
  Type type = getElementType(v), i1 = b.getI1Type();
  Value first = createIndex(b, 0);
  createForeach(b, v, [&](ImplicitLocOpBuilder &b, ValueRange i) {
    Value isOne = CmpEqOp::create(b, i1, i[0], j);
    Value number =
        SelectOp::create(b, isOne, createNumber(b, type, 1), createNumber(b, type, 0));
    StoreOp::create(b, StoreFlag::Regular, number, v, {i[0], first});
    createIf(b, CmpGtOp::create(b, i1, i[0], j), [&](ImplicitLocOpBuilder &b) {
      StoreOp::create(b, StoreFlag::Regular, below(b, i[0]), v, {i[0], first});
    });
  });
}

/// tau, the element of R, and the factor of a column, of a reflection for numbers whose
/// first one is alpha, and of whose others the squares are given. Nothing divides by 0.
static std::array<Value, 3> chooseReflection(ImplicitLocOpBuilder &b, Value alpha,
                                             Value squares) {
  Type type = alpha.getType(), real = squares.getType(), i1 = b.getI1Type();
  Value none = createNumber(b, real, 0), zero = createNumber(b, type, 0);
  Value re = createCast(b, alpha, real), size = ArithMulOp::create(b, re, re);
  Value isNone = CmpEqOp::create(b, i1, squares, none);
  if (isa<ComplexType>(type)) {
    Value im = ArithImOp::create(b, real, alpha);
    size = ArithAddOp::create(b, size, ArithMulOp::create(b, im, im));
    isNone =
        ArithAndOp::create(b, isNone, CmpEqOp::create(b, i1, im, none).getResult());
  }
  size = ArithAddOp::create(b, size, squares);
  size = SelectOp::create(b, isNone, createNumber(b, real, 1), size);
  Value norm = SqrtOp::create(b, size), minus = ArithNegOp::create(b, norm);
  Value isNegative = CmpLtOp::create(b, i1, re, none);
  Value beta = createCast(b, SelectOp::create(b, isNegative, norm, minus), type);
  Value difference = ArithSubOp::create(b, beta, alpha);
  Value tau = ArithDivOp::create(b, difference, beta);
  Value factor = ArithDivOp::create(b, createNumber(b, type, -1), difference);
  return {SelectOp::create(b, isNone, zero, tau),
          SelectOp::create(b, isNone, alpha, beta),
          SelectOp::create(b, isNone, zero, factor)};
}

/// |x|^2
static Value createSquare(ImplicitLocOpBuilder &b, Value x) {
  Value square = ArithMulOp::create(b, x, createConjugate(b, x));
  return createCast(b, square, getRealPartType(x.getType()));
}

/// Column by column, with a vector and a row of products in local memory; squares are
/// not scaled.
static void decompose(QrOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MatrixForm a{op.getA()};
  ArrayRef<int64_t> shape = op.getA().getType().getShape();
  Type type = getElementType(a.memref);
  MatrixForm v{createLocal(b, {shape[0], 1}, type)},
      w{createLocal(b, {1, shape[1]}, type)};
  for (const MatrixForm &memory :
       {v, w}) // reverse derivatives keep all that loops write
    createFill(b, memory.memref);
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  Value rows = createIndex(b, shape[0]);
  Value count = createIndex(b, std::min(shape[0], shape[1]));
  createFor(b, zero, count, {}, [&](ImplicitLocOpBuilder &b, Value j, ValueRange) {
    auto sum = createFor(b, ArithAddOp::create(b, j, one), rows,
                         createNumber(b, getRealPartType(type), 0),
                         [&](ImplicitLocOpBuilder &b, Value i, ValueRange carried) {
                           Value square = createSquare(b, a.load(b, i, j));
                           return SmallVector<Value>{
                               ArithAddOp::create(b, carried[0], square)};
                         });
    auto [tau, element, factor] =
        chooseReflection(b, a.load(b, j, j), sum.getResult(0));
    Value scale = factor, diagonal = element;
    fillReflection(b, v.memref, j, [&](ImplicitLocOpBuilder &b, Value i) -> Value {
      return ArithMulOp::create(b, a.load(b, i, j), scale);
    });
    createMatrixProduct(b, createNumber(b, type, 1), v.adjoint(), a, 0, w);
    createForeach(b, zero, ArithAddOp::create(b, j, one).getResult(),
                  [&](ImplicitLocOpBuilder &b, ValueRange c) {
                    w.store(b, createNumber(b, type, 0), zero, c[0]);
                  });
    Value minus = ArithNegOp::create(b, createConjugate(b, tau));
    createMatrixProduct(b, minus, v, w, 1, a);
    createForeach(b, j, rows, [&](ImplicitLocOpBuilder &b, ValueRange i) {
      Value isFirst = CmpEqOp::create(b, b.getI1Type(), i[0], j);
      Value own = SelectOp::create(b, isFirst, diagonal, v.load(b, i[0], zero));
      a.store(b, own, i[0], j);
    });
    StoreOp::create(b, StoreFlag::Regular, tau, op.getTau(), j);
    return SmallVector<Value>();
  });
}

/// The reflections one by one.
static void decompose(ApplyQOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  TensorForm form = op.getTranspose();
  bool isAdjoint = isTransposed(form) != op.getRight();
  MatrixForm a{op.getA()}, x = asMatrix(b, op.getB());
  int64_t columns = cast<MemrefType>(x.memref.getType()).getShape()[!op.getRight()];
  if (op.getRight()) // B op(Q) is the adjoint of op(Q)^H B^H
    x = x.adjoint();
  if (isTransposed(form) != isConjugated(form)) // conj(Q) B is conj(Q conj(B))
    x = x.conjugate();
  Type type = getElementType(a.memref);
  int64_t rows = op.getA().getType().getShape()[0];
  MatrixForm v{createLocal(b, {rows, 1}, type)}, w{createLocal(b, {1, columns}, type)};
  for (const MatrixForm &memory : {v, w})
    createFill(b, memory.memref);
  Value count = createSize(b, op.getTau(), 0);
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  createFor(b, zero, count, {}, [&](ImplicitLocOpBuilder &b, Value n, ValueRange) {
    Value j = n;
    if (!isAdjoint)
      j = ArithSubOp::create(b, ArithSubOp::create(b, count, one), n);
    fillReflection(b, v.memref, j,
                   [&](ImplicitLocOpBuilder &b, Value i) { return a.load(b, i, j); });
    createMatrixProduct(b, createNumber(b, type, 1), v.adjoint(), x, 0, w);
    Value t = LoadOp::create(b, op.getTau(), j);
    t = ArithNegOp::create(b, isAdjoint ? createConjugate(b, t) : t);
    createMatrixProduct(b, t, v, w, 1, x);
    return SmallVector<Value>();
  });
}

/// Whether an instruction whose loops need local memory has static shapes.
static bool hasMemory(Operation *op) {
  return !isa<QrOp, ApplyQOp>(op) || llvm::all_of(op->getOperandTypes(), [](Type type) {
    return cast<MemrefType>(type).hasStaticShape();
  });
}

template <typename... Ops>
static void decomposeAll(FuncOp func) {
  SmallVector<Operation *> found;
  func.walk([&](Operation *op) {
    if (isa<Ops...>(op) && hasMemory(op))
      found.push_back(op);
  });
  for (Operation *op : found) {
    ((isa<Ops>(op) ? decompose(cast<Ops>(op)) : void()), ...);
    op->erase();
  }
}

void tinytc::decomposeSolves(FuncOp func) { decomposeAll<SolveSpdOp, SolveLuOp>(func); }

void tinytc::decomposeForDerivatives(FuncOp func) {
  decomposeAll<SolveSpdOp, SolveLuOp, SyrkOp, QrOp, ApplyQOp>(func);
}
