//===- Factorizations.h - What makes factorisations and products -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes, blocks and loops of the instructions that tinytc-expand-factorizations makes
// loops and products of.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TRANSFORMS_FACTORIZATIONS_H
#define TINYTC_LIB_TRANSFORMS_FACTORIZATIONS_H

#include "lib/IR/Solves.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::tinytc::instructions {

/// Rows and columns of a block.
static constexpr int64_t kBlock = 16;
/// Blocks of a known number that are written out, with sizes that are known.
static constexpr int64_t kMaxWrittenOut = 8;

/// A number of rows or columns, and the place of one of them.
using Extent = OpFoldResult;

/// Makes the instructions that stand for one.
class Expander {
protected:
  explicit Expander(Operation *op) : b(op->getLoc(), op) {}
  explicit Expander(const ImplicitLocOpBuilder &builder) : b(builder) {}

  //===--------------------------------------------------------------------===//
  // Sizes and elements
  //===--------------------------------------------------------------------===//

  Extent known(int64_t number) { return b.getIndexAttr(number); }

  Value value(Extent extent) {
    if (std::optional<int64_t> number = getConstantIntValue(extent))
      return createIndex(b, *number);
    return cast<Value>(extent);
  }

  template <typename Op, typename Fold>
  Extent combine(Extent x, Extent y, Fold fold) {
    std::optional<int64_t> first = getConstantIntValue(x);
    std::optional<int64_t> second = getConstantIntValue(y);
    if (first && second)
      return known(fold(*first, *second));
    return Op::create(b, value(x), value(y)).getResult();
  }

  Extent add(Extent x, Extent y) {
    return getConstantIntValue(x) == 0
               ? y
               : combine<ArithAddOp>(x, y, std::plus<int64_t>());
  }
  Extent subtract(Extent x, Extent y) {
    return combine<ArithSubOp>(x, y, std::minus<int64_t>());
  }
  Extent smaller(Extent x, Extent y) {
    return combine<ArithMinOp>(x, y,
                               [](int64_t x, int64_t y) { return std::min(x, y); });
  }

  static bool isNone(Extent extent) { return getConstantIntValue(extent) == 0; }

  Extent sizeOf(Value memref, int64_t mode);
  Extent rows(const MatrixForm &x) { return sizeOf(x.memref, x.isTransposed); }
  Extent columns(const MatrixForm &x) { return sizeOf(x.memref, !x.isTransposed); }

  /// One of two sizes that are equal: the one that is known.
  static Extent known(Extent x, Extent y) { return getConstantIntValue(y) ? y : x; }

  Value number(Type type, double number) { return createNumber(b, type, number); }

  /// The block of `rows` x `columns` elements that begins at (i, j).
  MatrixForm block(const MatrixForm &x, Extent i, Extent j, Extent rows,
                   Extent columns);

  Value load(const MatrixForm &x, Value i, Value j) { return x.load(b, i, j); }
  void store(const MatrixForm &x, Value element, Value i, Value j) {
    x.store(b, element, i, j);
  }

  /// An element where the condition holds, 0 elsewhere. In an SPMD region.
  Value loadWhere(Value condition, const MatrixForm &x, Value i, Value j);

  Value realPart(Value x) {
    if (auto type = dyn_cast<ComplexType>(x.getType()))
      return ArithReOp::create(b, type.getElementType(), x);
    return x;
  }
  /// |x|^2
  Value squaredModulus(Value x);
  /// The larger modulus of the real part and the imaginary part.
  Value largestPart(Value x) { return combineParts<ArithMaxOp>(x); }
  /// The sum of both: what is compared for a pivot.
  Value sumOfParts(Value x) { return combineParts<ArithAddOp>(x); }
  template <typename Op>
  Value combineParts(Value x) {
    Type real = getRealPartType(x.getType());
    Value re = ArithAbsOp::create(b, real, realPart(x));
    if (!isa<ComplexType>(x.getType()))
      return re;
    Value im = ArithImOp::create(b, real, x);
    return Op::create(b, re, ArithAbsOp::create(b, real, im));
  }
  /// 1, or if the largest one of some numbers is so large or small that squares of the
  /// numbers are not finite or not exact, a power of two by which they are multiplied
  /// before; and its reciprocal.
  std::pair<Value, Value> powersOfTwo(Value largest);
  /// x - y z
  Value subtractProduct(Value x, Value y, Value z) {
    if (isa<FloatType>(x.getType()))
      return FmaOp::create(b, y, ArithNegOp::create(b, z), x);
    return ArithSubOp::create(b, x, ArithMulOp::create(b, y, z));
  }

  /// Local memory for a block.
  MatrixForm createLocalBlock(Type element, Extent rows, Extent columns);

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Runs `body` for the rows from `from` to before `to`, one after the other.
  void loop(Value from, Value to, function_ref<void(Value)> body) {
    createFor(b, from, to, {}, [&](ImplicitLocOpBuilder &, Value i, ValueRange) {
      body(i);
      return SmallVector<Value>();
    });
  }

  /// The same for every `step`th row; returns what the last one returns.
  Value stridedLoop(Value from, Value to, Value step, ValueRange inits,
                    function_ref<SmallVector<Value>(Value, ValueRange)> body);

  /// Runs `body` for the rows from `from` to before `to` in any order.
  void forEach(Value from, Value to, function_ref<void(Value)> body) {
    createForeach(b, from, to,
                  [&](ImplicitLocOpBuilder &, ValueRange i) { body(i[0]); });
  }

  /// Runs `body` for (offset, size) of all blocks of a mode, from the last one if
  /// `isBackward`. Only the block at the end may have less than 16 elements. A size
  /// that is not known may be known to be at most `most`.
  void forBlocks(Extent size, bool isBackward, function_ref<void(Extent, Extent)> body,
                 int64_t most = std::numeric_limits<int64_t>::max());

  /// z := alpha x y + beta z
  void product(double alpha, const MatrixForm &x, const MatrixForm &y, double beta,
               const MatrixForm &z) {
    createMatrixProduct(b, number(getElementType(z.memref), alpha), x, y, beta, z);
  }
  void subtractProduct(const MatrixForm &x, const MatrixForm &y, const MatrixForm &z) {
    product(-1, x, y, 1, z);
  }

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  /// A triangle op(A) on the left of X, and whether it is the lower one.
  struct Triangular {
    MatrixForm t, x;
    bool isLower, isUnit;
  };
  /// The operands of an instruction that has alpha, and with which X is scaled first.
  template <typename OpT>
  Triangular scaleTriangular(OpT op) {
    MatrixForm t{op.getA(), isTransposed(op.getTranspose()),
                 isConjugated(op.getTranspose())};
    MatrixForm x = asMatrix(op.getB());
    bool isLower = (op.getTriangle() == Triangle::L) != t.isTransposed;
    if (op.getRight()) { // X op(A) is (op(A)^T X^T)^T
      t = t.transpose();
      x = x.transpose();
      isLower = !isLower;
    }
    requireEqual(rows(t), columns(t), "'a' is square");
    requireEqual(rows(x), rows(t), "'b' fits 'a'");
    scale(op.getAlpha(), op.getB());
    return {t, x, isLower, op.getUnit()};
  }

  /// Asserts that sizes are equal if only launches know them.
  void requireEqual(Extent x, Extent y, StringRef text);
  MatrixForm asMatrix(Value memref) { return instructions::asMatrix(b, memref); }
  Value conjugate(Value x) { return createConjugate(b, x); }
  MatrixForm lowerFactor(Triangle triangle, Value a) {
    MatrixForm factor{a};
    return triangle == Triangle::L ? factor : factor.adjoint();
  }
  /// Multiplies all elements by alpha.
  void scale(Value alpha, Value memref) {
    if (!isConstant(alpha, 1))
      createScale(b, alpha, memref);
  }

  ImplicitLocOpBuilder b;
};

/// Factors a block of known size in the first subgroup, which has a lane for each row.
/// First, the product of `left`, if there is one, and its adjoint is subtracted. The
/// factor becomes the lower triangle of `a` and, if there is one, of `copy`.
void factorCholeskyInLanes(const ImplicitLocOpBuilder &builder, const MatrixForm &a,
                           const MatrixForm &left, const MatrixForm &copy,
                           int64_t size);
/// Likewise, LU factors of a matrix whose first row is row `offset` for `pivots`.
void factorLuInLanes(const ImplicitLocOpBuilder &builder, const MatrixForm &a,
                     Value pivots, Value offset, int64_t rowCount, int64_t columnCount);

/// X := T^-1 X for a triangle T of known size, where each subgroup has some columns of
/// X.
void solveInLanes(const ImplicitLocOpBuilder &builder, const MatrixForm &t,
                  bool isLower, bool isUnit, const MatrixForm &x, int64_t size);

/// Insert what stands for an instruction before it.
void expand(SyrkOp op);
void expand(TrmmOp op);
void expand(QrOp op);
void expand(ApplyQOp op);
void expand(EighOp op);

} // namespace mlir::tinytc::instructions

#endif // TINYTC_LIB_TRANSFORMS_FACTORIZATIONS_H
