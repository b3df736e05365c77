//===- OrthogonalRules.cpp - Derivatives of eigenvalues and trmm ----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Giles, Collected matrix derivative results for forward and reverse mode, 2008; Walter
// and Lehmann, Algorithmic differentiation of linear algebra functions,
// arXiv:1001.1654.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/FactorRules.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

/// z := x y
static void createMatmul(ImplicitLocOpBuilder &b, const MatrixForm &x,
                         const MatrixForm &y, Value z) {
  createMatrixProduct(b, createNumber(b, getElementType(z), 1), x, y, 0, {z});
}

namespace {

/// X = alpha op(A) B: the adjoints are alpha op(A)^T X' of B, alpha X' B^T of op(A),
/// and <X', op(A) B> of alpha; of X = alpha B op(A), alpha X' op(A)^T and alpha B^T X'.
struct TrmmModel : FactorModel<TrmmModel, TrmmOp> {
  static void addUses(TrmmOp op, const Activity &activity, AdjointUses &uses) {
    uses.addContents(op.getA());
    uses.addValue(op.getAlpha());
    if (activity.isActive(op.getAlpha()) || activity.isActive(op.getA()))
      uses.addContents(op.getB());
  }

  static void create(ImplicitLocOpBuilder &b, TrmmOp op, TensorForm form, Value alpha,
                     Value a, Value x) {
    TrmmOp::create(b, op.getRight(), op.getTriangle(), form, op.getUnit(), alpha, a, x);
  }

  static LogicalResult addTangent(TrmmOp op, TangentEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    Value alpha = op.getAlpha(), x = op.getB(), dx = emitter.getTangent(x);
    TensorForm form = op.getTranspose();
    Value one = createNumber(b, getElementType(x), 1);
    create(b, op, form, alpha, op.getA(), dx);
    auto addProduct = [&](Value factor, Value a) -> LogicalResult {
      FailureOr<Value> memory = createTangentMemory(emitter, op, x);
      if (failed(memory))
        return failure();
      createCopy(b, x, *memory);
      create(b, op, form, factor, a, *memory);
      AxpbyOp::create(b, TensorForm::N, false, one, *memory, one, dx);
      return success();
    };
    if (emitter.isActive(op.getA())) {
      if (failed(addProduct(alpha, emitter.getTangent(op.getA()))))
        return failure();
      if (op.getUnit()) // the diagonal has no tangent
        AxpbyOp::create(b, TensorForm::N, false, ArithNegOp::create(b, alpha), x, one,
                        dx);
    }
    if (emitter.isActive(alpha))
      return addProduct(emitter.getTangent(alpha), op.getA());
    return success();
  }

  static LogicalResult addAdjoint(TrmmOp op, AdjointEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    Value a = emitter.getContents(op, op.getA()), w = emitter.getShadow(op.getB());
    Value alpha = emitter.getPrimal(op.getAlpha());
    Value one = createNumber(b, getElementType(w), 1);
    TensorForm form = op.getTranspose();
    if (emitter.isActive(op.getAlpha())) {
      auto create = [&] {
        return createMemory(emitter, op, op.getB(), getElementType(w));
      };
      FailureOr<Value> product = create(), products = create();
      if (failed(product) || failed(products))
        return failure();
      createCopy(b, emitter.getContents(op, op.getB()), *product);
      TrmmModel::create(b, op, form, one, a, *product);
      Value dot = createDot(b, w, *product, *products);
      emitter.addAdjoint(op.getAlpha(), createCast(b, dot, alpha.getType()));
    }
    if (!isConstant(alpha, 1))
      createScale(b, alpha, w);
    if (emitter.isActive(op.getA()))
      addToTriangle(b, op, emitter.getShadow(op.getA()),
                    emitter.isAtomic(op, op.getA()), /*isNegative=*/false, w,
                    emitter.getContents(op, op.getB()));
    create(b, op, getTensorForm(!isTransposed(form), isConjugated(form)), one, a, w);
    return success();
  }
};

/// A V = V diag(w). With F(i, j) = 1 / (w(j) - w(i)), and 0 for i = j, the tangents are
/// dw = diag(M) and dV = V (F o M) for M = V^H dA V, and the adjoint of A is the
/// Hermitian part of conj(V) (F o V^T V' + diag(w')) V^T. Quotients by 0 are 0 if
/// their numerator is, and NaN if it is not.
///
/// These tangents have a diagonal of V^H dV that is 0. In each column of V, an element
/// stays real: of the column of dV, i t times that of V is subtracted, where t is the
/// imaginary part of dV divided by V in that element.
struct EighModel : FactorModel<EighModel, EighOp> {
  static void addUses(EighOp op, const Activity &, AdjointUses &uses) {
    uses.addResult(op.getA());
    uses.addResult(op.getW());
  }

  /// m := F o m, with other numbers on the diagonal.
  static void divide(ImplicitLocOpBuilder &b, Value w, Value memory,
                     function_ref<Value(ImplicitLocOpBuilder &, Value)> diagonal) {
    MatrixForm m{memory};
    Type type = getElementType(memory), real = getElementType(w), i1 = b.getI1Type();
    Value zero = createNumber(b, type, 0), one = createNumber(b, real, 1);
    Value nan = createNumber(b, type, std::numeric_limits<double>::quiet_NaN());
    createForeach(b, memory, [&](ImplicitLocOpBuilder &b, ValueRange i) {
      Value number = m.load(b, i[0], i[1]);
      Value first = LoadOp::create(b, w, i[0]), second = LoadOp::create(b, w, i[1]);
      Value isEqual = CmpEqOp::create(b, i1, first, second);
      // Derivatives divide by the gap, too, whatever is selected.
      Value gap =
          SelectOp::create(b, isEqual, one, ArithSubOp::create(b, second, first));
      Value found = ArithDivOp::create(b, number, createCast(b, gap, type));
      found = SelectOp::create(b, isEqual, nan, found);
      found = SelectOp::create(b, CmpEqOp::create(b, i1, number, zero), zero, found);
      Value isDiagonal = CmpEqOp::create(b, i1, i[0], i[1]);
      found = SelectOp::create(b, isDiagonal, diagonal(b, i[0]), found);
      m.store(b, found, i[0], i[1]);
    });
  }

  /// The row of the element of a column that `eigh` makes real and positive.
  static Value findReal(ImplicitLocOpBuilder &b, const MatrixForm &v, Value column) {
    Type real = getRealPartType(getElementType(v.memref));
    Value zero = createIndex(b, 0), size = createSize(b, v.memref, 0);
    auto modulus = [&](ImplicitLocOpBuilder &b, Value i) -> Value {
      return ArithAbsOp::create(b, real, v.load(b, i, column));
    };
    auto most = createFor(b, zero, size, createNumber(b, real, 0),
                          [&](ImplicitLocOpBuilder &b, Value i, ValueRange carried) {
                            return SmallVector<Value>{
                                ArithMaxOp::create(b, carried[0], modulus(b, i))};
                          });
    Value bound = createProduct(b, createNumber(b, real, 0.7), most.getResult(0));
    Value last = ArithSubOp::create(b, size, createIndex(b, 1));
    auto first = createFor(
        b, zero, size, zero, [&](ImplicitLocOpBuilder &b, Value n, ValueRange carried) {
          Value i = ArithSubOp::create(b, last, n);
          Value isLarge = CmpGeOp::create(b, b.getI1Type(), modulus(b, i), bound);
          return SmallVector<Value>{SelectOp::create(b, isLarge, i, carried[0])};
        });
    return first.getResult(0);
  }

  /// Runs `body` for the columns of a complex V, with the row of the element that is
  /// real, and its reciprocal.
  static void
  forColumns(ImplicitLocOpBuilder &b, const MatrixForm &v,
             function_ref<void(ImplicitLocOpBuilder &, Value, Value, Value)> body) {
    Type real = getRealPartType(getElementType(v.memref));
    if (real == getElementType(v.memref))
      return;
    Value zero = createIndex(b, 0);
    createForeach(b, zero, createSize(b, v.memref, 1),
                  [&](ImplicitLocOpBuilder &b, ValueRange c) {
                    Value row = findReal(b, v, c[0]);
                    Value element = createCast(b, v.load(b, row, c[0]), real);
                    body(b, c[0], row,
                         ArithDivOp::create(b, createNumber(b, real, 1), element));
                  });
  }

  /// i t, for a real t.
  static Value createImaginary(ImplicitLocOpBuilder &b, Value t, Type type) {
    Value unit = createComplex(b, cast<ComplexType>(type), 0, 1);
    return createProduct(b, createCast(b, t, type), unit);
  }

  static LogicalResult addTangent(EighOp op, TangentEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(op);
    FailureOr<Value> first = createTangentMemory(emitter, op, op.getA());
    FailureOr<Value> second = createTangentMemory(emitter, op, op.getA());
    if (failed(first) || failed(second))
      return failure();
    MatrixForm v{op.getA()}, dv{emitter.getTangent(op.getA())}, m{*first};
    Type type = getElementType(v.memref), real = getRealPartType(type);
    copyHermitian(b, lowerTriangle(op.getTriangle(), dv.memref), m.memref);
    createMatmul(b, m, v, *second);
    createMatmul(b, v.adjoint(), {*second}, m.memref);
    if (emitter.isActive(op.getW())) {
      Value dw = emitter.getTangent(op.getW());
      createForeach(b, dw, [&](ImplicitLocOpBuilder &b, ValueRange i) {
        Value element = createCast(b, m.load(b, i[0], i[0]), real);
        StoreOp::create(b, StoreFlag::Regular, element, dw, i);
      });
    }
    divide(b, op.getW(), m.memref,
           [&](ImplicitLocOpBuilder &b, Value) { return createNumber(b, type, 0); });
    createMatmul(b, v, m, dv.memref);
    forColumns(b, v, [&](ImplicitLocOpBuilder &b, Value c, Value row, Value inverse) {
      Value t =
          createProduct(b, ArithImOp::create(b, real, dv.load(b, row, c)), inverse);
      Value factor = createImaginary(b, t, type);
      createFor(b, createIndex(b, 0), createSize(b, v.memref, 0), {},
                [&](ImplicitLocOpBuilder &b, Value i, ValueRange) {
                  Value product = createProduct(b, factor, v.load(b, i, c));
                  Value own = ArithSubOp::create(b, dv.load(b, i, c), product);
                  dv.store(b, own, i, c);
                  return SmallVector<Value>();
                });
    });
    return success();
  }

  static LogicalResult addAdjoint(EighOp op, AdjointEmitter &emitter) {
    ImplicitLocOpBuilder &b = emitter.builder;
    Type type = getElementType(op.getA()), real = getRealPartType(type);
    auto create = [&] { return createMemory(emitter, op, op.getA(), type); };
    FailureOr<Value> first = create(), second = create();
    if (failed(first) || failed(second))
      return failure();
    MatrixForm v{emitter.getContents(op, op.getA())},
        shadow{emitter.getShadow(op.getA())};
    Value w = emitter.getContents(op, op.getW());
    forColumns(b, v, [&](ImplicitLocOpBuilder &b, Value c, Value row, Value inverse) {
      Value sum =
          createSum(b, type, createIndex(b, 0), createSize(b, v.memref, 0),
                    [&](ImplicitLocOpBuilder &b, Value i) {
                      return createProduct(b, shadow.load(b, i, c), v.load(b, i, c));
                    });
      Value t = createProduct(b, ArithImOp::create(b, real, sum), inverse);
      Value own =
          ArithSubOp::create(b, shadow.load(b, row, c), createImaginary(b, t, type));
      shadow.store(b, own, row, c);
    });
    createMatmul(b, v.transpose(), shadow, *first);
    Value dw = emitter.isActive(op.getW()) ? emitter.getShadow(op.getW()) : Value();
    divide(b, w, *first, [&](ImplicitLocOpBuilder &b, Value i) {
      return dw ? createCast(b, LoadOp::create(b, dw, i), type)
                : createNumber(b, type, 0);
    });
    if (dw)
      createFill(b, dw);
    createMatmul(b, {*first}, v.transpose(), *second);
    createMatmul(b, v.conjugate(), {*second}, *first);
    createFill(b, shadow.memref);
    storeHermitian(b, *first, lowerTriangle(op.getTriangle(), shadow.memref));
    return success();
  }
};

/// Those with static shapes are loops before rules are asked.
template <typename OpT>
struct ReflectionsModel : FactorModel<ReflectionsModel<OpT>, OpT> {
  static constexpr char reason[] =
      "its derivative needs local memory with the shape of operands, which must be "
      "static";
  static void addUses(OpT, const Activity &, AdjointUses &) {}
  static LogicalResult addTangent(OpT op, TangentEmitter &) {
    return refuse(op, reason);
  }
  static LogicalResult addAdjoint(OpT op, AdjointEmitter &) {
    return refuse(op, reason);
  }
};

} // namespace

void derivatives::attachOrthogonalRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    TrmmOp::attachInterface<TrmmModel>(*context);
    EighOp::attachInterface<EighModel>(*context);
    QrOp::attachInterface<ReflectionsModel<QrOp>>(*context);
    ApplyQOp::attachInterface<ReflectionsModel<ApplyQOp>>(*context);
  });
}
