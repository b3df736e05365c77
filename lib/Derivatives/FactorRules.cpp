//===- FactorRules.cpp - Derivatives of factorisations and solves ---------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// All rules use results only: factors, solutions and pivots (Giles, Collected matrix
// derivative results for forward and reverse mode, 2008; Murray, arXiv:1602.07527).
// Pivots are constants.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/FactorRules.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

static Value compare(ImplicitLocOpBuilder &b, bool isEqual, Value i, Value j) {
  return isEqual ? CmpEqOp::create(b, b.getI1Type(), i, j).getResult()
                 : CmpGtOp::create(b, b.getI1Type(), i, j).getResult();
}

void derivatives::forParts(ImplicitLocOpBuilder &b, Value matrix, ForElement below,
                           ForElement on, ForElement above) {
  createForeach(b, matrix, [&](ImplicitLocOpBuilder &b, ValueRange i) {
    auto emit = [&](ForElement part, Value condition) {
      if (part)
        createIf(b, condition, [&](ImplicitLocOpBuilder &b) { part(b, i[0], i[1]); });
    };
    emit(below, compare(b, false, i[0], i[1]));
    emit(on, compare(b, true, i[0], i[1]));
    emit(above, compare(b, false, i[1], i[0]));
  });
}

Value derivatives::createSum(ImplicitLocOpBuilder &b, Type type, Value from, Value to,
                             function_ref<Value(ImplicitLocOpBuilder &, Value)> term) {
  auto loop = createFor(b, from, to, createNumber(b, type, 0),
                        [&](ImplicitLocOpBuilder &b, Value k, ValueRange carried) {
                          return SmallVector<Value>{
                              ArithAddOp::create(b, carried[0], term(b, k))};
                        });
  return loop.getResult(0);
}

Value derivatives::createProduct(ImplicitLocOpBuilder &b, Value x, Value y) {
  return ArithMulOp::create(b, x, y);
}

Value derivatives::afterIndex(ImplicitLocOpBuilder &b, Value i) {
  return ArithAddOp::create(b, i, createIndex(b, 1));
}

Value derivatives::keepReal(ImplicitLocOpBuilder &b, Value number) {
  auto type = dyn_cast<ComplexType>(number.getType());
  return type ? createCast(b, createCast(b, number, type.getElementType()), type)
              : number;
}

Value derivatives::createHalf(ImplicitLocOpBuilder &b, Value number) {
  return createProduct(b, createNumber(b, number.getType(), 0.5), number);
}

FailureOr<Value> derivatives::createTangentMemory(TangentEmitter &emitter,
                                                  Operation *op, Value memref) {
  auto type = cast<MemrefType>(memref.getType());
  if (!type.hasStaticShape())
    return refuse(op,
                  "its tangent needs local memory with the shape of an operand, which "
                  "must be static");
  return createLocalLike(emitter.builder, type);
}

MatrixForm derivatives::lowerTriangle(Triangle triangle, Value memref) {
  bool isUpper = triangle == Triangle::U;
  return {memref, isUpper, isUpper};
}

void derivatives::copyHermitian(ImplicitLocOpBuilder &b, const MatrixForm &lower,
                                Value memory) {
  MatrixForm m{memory};
  auto copy = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
    Value number = lower.load(b, i, j);
    m.store(b, number, i, j);
    m.adjoint().store(b, number, i, j);
  };
  auto copyReal = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
    m.store(b, keepReal(b, lower.load(b, i, j)), i, j);
  };
  forParts(b, memory, copy, copyReal, nullptr);
}

void derivatives::storeHermitian(ImplicitLocOpBuilder &b, Value s,
                                 const MatrixForm &lower) {
  MatrixForm own{s}, adjoint = own.adjoint();
  auto add = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
    Value sum = ArithAddOp::create(b, own.load(b, i, j), adjoint.load(b, i, j));
    lower.store(b, sum, i, j);
  };
  auto keep = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
    lower.store(b, keepReal(b, own.load(b, i, j)), i, j);
  };
  forParts(b, s, add, keep, nullptr);
}

/// op(A) of a solve with the triangle of A.
static TrsmOp createTrsm(ImplicitLocOpBuilder &b, bool right, Triangle triangle,
                         TensorForm form, bool unit, Value a, Value x,
                         Value alpha = {}) {
  if (!alpha)
    alpha = createNumber(b, getElementType(x), 1);
  return TrsmOp::create(b, right, triangle, form, unit, alpha, a, x);
}

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

namespace {

/// A = L L^H, where only a triangle of A is stored. With F(M), the lower triangle of M
/// whose diagonal is halved, dL = L F(L^-1 dA L^-H), and with
/// S = L^-T F(L^T L') conj(L)^-1, the adjoint of A is S + S^H below the diagonal and
/// the real part of S on it. The upper factor is U = L^H.
struct CholeskyModel : FactorModel<CholeskyModel, CholeskyOp> {
  static void addUses(CholeskyOp op, const Activity &, AdjointUses &uses) {
    uses.addResult(op.getA());
  }

  static MatrixForm lower(CholeskyOp op, Value memref) {
    return lowerTriangle(op.getTriangle(), memref);
  }
  /// The form of A for which op(A) is L, its transpose or conjugate.
  static TensorForm form(CholeskyOp op, bool isTransposed, bool isConjugated) {
    bool isUpper = op.getTriangle() == Triangle::U;
    return getTensorForm(isTransposed != isUpper, isConjugated != isUpper);
  }

  static LogicalResult addTangent(CholeskyOp op, TangentEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(op);
    FailureOr<Value> memory = createTangentMemory(emitter, op, op.getA());
    if (failed(memory))
      return failure();
    MatrixForm l = lower(op, op.getA()), dl = lower(op, emitter.getTangent(op.getA()));
    MatrixForm m{*memory};
    copyHermitian(b, dl, *memory);
    createTrsm(b, false, op.getTriangle(), form(op, false, false), false, l.memref,
               m.memref);
    createTrsm(b, true, op.getTriangle(), form(op, true, true), false, l.memref,
               m.memref);
    auto product = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
      Value own = createProduct(b, l.load(b, i, j), createHalf(b, m.load(b, j, j)));
      Value rest =
          createSum(b, own.getType(), afterIndex(b, j), afterIndex(b, i),
                    [&](ImplicitLocOpBuilder &b, Value k) {
                      return createProduct(b, l.load(b, i, k), m.load(b, k, j));
                    });
      dl.store(b, ArithAddOp::create(b, own, rest), i, j);
    };
    forParts(b, *memory, product, product, nullptr);
    return success();
  }

  static LogicalResult addAdjoint(CholeskyOp op, AdjointEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    FailureOr<Value> created =
        createMemory(emitter, op, op.getA(), getElementType(op.getA()));
    if (failed(created))
      return failure();
    Value memory = *created;
    MatrixForm l = lower(op, emitter.getContents(op, op.getA()));
    MatrixForm shadow = lower(op, emitter.getShadow(op.getA())), s{memory};
    Type type = getElementType(memory);
    auto product = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
      Value size = createSize(b, memory, 0);
      return createSum(b, type, i, size, [&](ImplicitLocOpBuilder &b, Value k) {
        return createProduct(b, l.load(b, k, i), shadow.load(b, k, j));
      });
    };
    forParts(
        b, memory,
        [&](ImplicitLocOpBuilder &b, Value i, Value j) {
          s.store(b, product(b, i, j), i, j);
        },
        [&](ImplicitLocOpBuilder &b, Value i, Value j) {
          s.store(b, createHalf(b, product(b, i, j)), i, j);
        },
        [&](ImplicitLocOpBuilder &b, Value i, Value j) {
          s.store(b, createNumber(b, type, 0), i, j);
        });
    createTrsm(b, false, op.getTriangle(), form(op, true, false), false, l.memref,
               memory);
    createTrsm(b, true, op.getTriangle(), form(op, false, true), false, l.memref,
               memory);
    storeHermitian(b, memory, shadow);
    return success();
  }
};

/// op(A) X = alpha B: with W = op(A)^-T X', the adjoints are alpha W of B, -W X^T of
/// op(A), and <W, B> of alpha; of X op(A) = alpha B, W = X' op(A)^-T and -X^T W.
struct TrsmModel : FactorModel<TrsmModel, TrsmOp> {
  static void addUses(TrsmOp op, const Activity &activity, AdjointUses &uses) {
    uses.addContents(op.getA());
    uses.addValue(op.getAlpha());
    if (activity.isActive(op.getAlpha()))
      uses.addContents(op.getB());
    else if (activity.isActive(op.getA()))
      uses.addResult(op.getB());
  }

  static LogicalResult addTangent(TrsmOp op, TangentEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    Value x = op.getB(), dx = emitter.getTangent(x);
    Value one = createNumber(b, getElementType(x), 1);
    createScale(b, op.getAlpha(), dx);
    if (emitter.isActive(op.getAlpha()))
      AxpbyOp::create(b, TensorForm::N, false, emitter.getTangent(op.getAlpha()), x,
                      one, dx);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(op);
    if (emitter.isActive(op.getA()))
      subtractTriangle(b, op, emitter.getTangent(op.getA()), dx);
    createTrsm(b, op.getRight(), op.getTriangle(), op.getTranspose(), op.getUnit(),
               op.getA(), dx);
    return success();
  }

  /// dx -= op(da) x, or x op(da), with the triangle of da.
  static void subtractTriangle(ImplicitLocOpBuilder &b, TrsmOp op, Value da, Value dx) {
    TensorForm form = op.getTranspose();
    bool isRight = op.getRight();
    // Of op(A)^T X^T = B^T on the right.
    MatrixForm t{da, isTransposed(form) != isRight, isConjugated(form)};
    MatrixForm x{op.getB(), isRight}, dest{dx, isRight};
    bool isLower = (op.getTriangle() == Triangle::L) != t.isTransposed;
    createForeach(b, dx, [&](ImplicitLocOpBuilder &b, ValueRange place) {
      Value i = place[isRight];
      Value c = place.size() == 1 ? createIndex(b, 0) : place[!isRight];
      Value zero = createIndex(b, 0), size = createSize(b, da, 0);
      Value end = op.getUnit() ? i : afterIndex(b, i);
      Value begin = op.getUnit() ? afterIndex(b, i) : i;
      Value sum =
          createSum(b, getElementType(dx), isLower ? zero : begin, isLower ? end : size,
                    [&](ImplicitLocOpBuilder &b, Value k) {
                      return createProduct(b, t.load(b, i, k), x.load(b, k, c));
                    });
      dest.add(b, false, ArithNegOp::create(b, sum), i, c);
    });
  }

  static LogicalResult addAdjoint(TrsmOp op, AdjointEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    Value a = emitter.getContents(op, op.getA()), w = emitter.getShadow(op.getB());
    Value alpha = emitter.getPrimal(op.getAlpha()), x;
    TensorForm form = op.getTranspose();
    TensorForm flipped = getTensorForm(!isTransposed(form), isConjugated(form));
    createTrsm(b, op.getRight(), op.getTriangle(), flipped, op.getUnit(), a, w);
    if (emitter.isActive(op.getAlpha())) {
      Value old = emitter.getContents(op, op.getB());
      auto create = [&] {
        return createMemory(emitter, op, op.getB(), getElementType(w));
      };
      FailureOr<Value> products = create(), again = create();
      if (failed(products) || failed(again))
        return failure();
      x = *again;
      Value dot = createDot(b, w, old, *products);
      emitter.addAdjoint(op.getAlpha(), createCast(b, dot, alpha.getType()));
      createCopy(b, old, x);
      createTrsm(b, op.getRight(), op.getTriangle(), form, op.getUnit(), a, x, alpha);
    } else {
      x = emitter.getContents(op, op.getB());
    }
    if (emitter.isActive(op.getA()))
      addToTriangle(b, op, emitter.getShadow(op.getA()),
                    emitter.isAtomic(op, op.getA()), /*isNegative=*/true, w, x);
    if (!isConstant(alpha, 1))
      createScale(b, alpha, w);
    return success();
  }
};

/// P A = L U: dL = L low(F) and dU = up(F) U with F = L^-1 P dA U^-1, where low(F) is
/// below the diagonal, and the adjoint of A is
/// P^T L^-T (low(L^T L') + up(U' U^T)) U^-T.
struct LuModel : FactorModel<LuModel, LuOp> {
  static void addUses(LuOp op, const Activity &, AdjointUses &uses) {
    uses.addResult(op.getA());
    if (op.getPiv())
      uses.addResult(op.getPiv());
  }

  static LogicalResult refuseUnlessSquare(LuOp op) {
    ArrayRef<int64_t> shape = op.getA().getType().getShape();
    if (shape[0] == shape[1])
      return success();
    return refuse(op, "its derivative is that of a square matrix");
  }

  static LogicalResult addTangent(LuOp op, TangentEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    if (failed(refuseUnlessSquare(op)))
      return failure();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(op);
    FailureOr<Value> memory = createTangentMemory(emitter, op, op.getA());
    if (failed(memory))
      return failure();
    MatrixForm a{op.getA()}, da{emitter.getTangent(op.getA())}, f{*memory};
    if (op.getPiv())
      SwapRowsOp::create(b, false, op.getPiv(), da.memref);
    createTrsm(b, false, Triangle::L, TensorForm::N, true, a.memref, da.memref);
    createTrsm(b, true, Triangle::U, TensorForm::N, false, a.memref, da.memref);
    createCopy(b, da.memref, f.memref);
    auto term = [&](Value i, Value j) {
      return [&a, &f, i, j](ImplicitLocOpBuilder &b, Value k, bool isLower) {
        return isLower ? createProduct(b, a.load(b, i, k), f.load(b, k, j))
                       : createProduct(b, f.load(b, i, k), a.load(b, k, j));
      };
    };
    Type type = getElementType(*memory);
    auto below = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
      auto product = term(i, j);
      Value sum = createSum(
          b, type, afterIndex(b, j), i,
          [&](ImplicitLocOpBuilder &b, Value k) { return product(b, k, true); });
      da.store(b, ArithAddOp::create(b, sum, f.load(b, i, j)), i, j);
    };
    auto above = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
      auto product = term(i, j);
      Value sum = createSum(
          b, type, i, afterIndex(b, j),
          [&](ImplicitLocOpBuilder &b, Value k) { return product(b, k, false); });
      da.store(b, sum, i, j);
    };
    forParts(b, *memory, below, above, above);
    return success();
  }

  static LogicalResult addAdjoint(LuOp op, AdjointEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    if (failed(refuseUnlessSquare(op)))
      return failure();
    FailureOr<Value> created =
        createMemory(emitter, op, op.getA(), getElementType(op.getA()));
    if (failed(created))
      return failure();
    Value memory = *created;
    MatrixForm a{emitter.getContents(op, op.getA())},
        shadow{emitter.getShadow(op.getA())};
    MatrixForm s{memory};
    Type type = getElementType(memory);
    auto below = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
      Value sum =
          createSum(b, type, afterIndex(b, i), createSize(b, memory, 0),
                    [&](ImplicitLocOpBuilder &b, Value k) {
                      return createProduct(b, a.load(b, k, i), shadow.load(b, k, j));
                    });
      s.store(b, ArithAddOp::create(b, sum, shadow.load(b, i, j)), i, j);
    };
    auto above = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
      Value sum = createSum(
          b, type, j, createSize(b, memory, 0), [&](ImplicitLocOpBuilder &b, Value k) {
            return createProduct(b, shadow.load(b, i, k), a.load(b, j, k));
          });
      s.store(b, sum, i, j);
    };
    forParts(b, memory, below, above, above);
    createCopy(b, memory, shadow.memref);
    createTrsm(b, false, Triangle::L, TensorForm::T, true, a.memref, shadow.memref);
    createTrsm(b, true, Triangle::U, TensorForm::T, false, a.memref, shadow.memref);
    if (op.getPiv())
      SwapRowsOp::create(b, true, emitter.getContents(op, op.getPiv()), shadow.memref);
    return success();
  }
};

struct SwapRowsModel : FactorModel<SwapRowsModel, SwapRowsOp> {
  static void addUses(SwapRowsOp op, const Activity &, AdjointUses &uses) {
    uses.addContents(op.getPiv());
  }
  static LogicalResult addTangent(SwapRowsOp op, TangentEmitter &emitter) {
    SwapRowsOp::create(emitter.builder, op.getReverse(), op.getPiv(),
                       emitter.getTangent(op.getB()));
    return success();
  }
  static LogicalResult addAdjoint(SwapRowsOp op, AdjointEmitter &emitter) {
    SwapRowsOp::create(emitter.builder, !op.getReverse(),
                       emitter.getContents(op, op.getPiv()),
                       emitter.getShadow(op.getB()));
    return success();
  }
};

} // namespace

void derivatives::attachFactorRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    CholeskyOp::attachInterface<CholeskyModel>(*context);
    LuOp::attachInterface<LuModel>(*context);
    TrsmOp::attachInterface<TrsmModel>(*context);
    SwapRowsOp::attachInterface<SwapRowsModel>(*context);
  });
}
