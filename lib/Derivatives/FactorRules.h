//===- FactorRules.h - What rules of factorisations share -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_DERIVATIVES_FACTORRULES_H
#define TINYTC_LIB_DERIVATIVES_FACTORRULES_H

#include "lib/Derivatives/Derivatives.h"

namespace mlir::tinytc::derivatives {

template <typename Model, typename OpT>
struct FactorModel : DifferentiableOpInterface::ExternalModel<Model, OpT> {
  void getAdjointUses(Operation *op, const Activity &activity,
                      AdjointUses &uses) const {
    Model::addUses(cast<OpT>(op), activity, uses);
  }
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    return Model::addTangent(cast<OpT>(op), emitter);
  }
  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    return Model::addAdjoint(cast<OpT>(op), emitter);
  }
};

using ForElement = function_ref<void(ImplicitLocOpBuilder &, Value, Value)>;

/// Runs code for the elements of a square matrix below the diagonal, on it, and above
/// it. A part without code is left out.
void forParts(ImplicitLocOpBuilder &b, Value matrix, ForElement below, ForElement on,
              ForElement above);

/// The sum of `term` for indices from `from` to before `to`.
Value createSum(ImplicitLocOpBuilder &b, Type type, Value from, Value to,
                function_ref<Value(ImplicitLocOpBuilder &, Value)> term);

Value createProduct(ImplicitLocOpBuilder &b, Value x, Value y);
Value createHalf(ImplicitLocOpBuilder &b, Value number);
Value afterIndex(ImplicitLocOpBuilder &b, Value i);

/// The part of a number that the diagonal of a Hermitian matrix keeps.
Value keepReal(ImplicitLocOpBuilder &b, Value number);

/// Local memory for a tangent.
FailureOr<Value> createTangentMemory(TangentEmitter &emitter, Operation *op,
                                     Value memref);

/// The lower triangle of a matrix of which a triangle is given; it is the adjoint of
/// the upper one.
MatrixForm lowerTriangle(Triangle triangle, Value memref);

/// Copies a lower triangle to a whole matrix that is Hermitian.
void copyHermitian(ImplicitLocOpBuilder &b, const MatrixForm &lower, Value memory);

/// lower := S + S^H, and the real part of S on the diagonal, where it is the adjoint of
/// a triangle that stands for a Hermitian matrix, and S that of all of the matrix.
void storeHermitian(ImplicitLocOpBuilder &b, Value s, const MatrixForm &lower);

/// Adds x y, or -x y, to what the triangle of op(A) stands for in an instruction that
/// is linear in it, where x and y are the adjoint of its result and what it multiplies.
template <typename OpT>
void addToTriangle(ImplicitLocOpBuilder &b, OpT op, Value a, bool isAtomic,
                   bool isNegative, Value x, Value y) {
  TensorForm form = op.getTranspose();
  bool isRight = op.getRight();
  if (isTransposed(form) != isRight)
    std::swap(x, y);
  // (x y^T) on the left of X, and (x^T y) on the right
  MatrixForm first{x, isRight}, second{y, !isRight};
  MatrixForm dest{a, false, isConjugated(form)};
  auto add = [&](ImplicitLocOpBuilder &b, Value i, Value j) {
    bool isVector = cast<MemrefType>(x.getType()).getOrder() == 1;
    Value count = isVector ? createIndex(b, 1) : createSize(b, x, isRight ? 0 : 1);
    Value sum =
        createSum(b, getElementType(a), createIndex(b, 0), count,
                  [&](ImplicitLocOpBuilder &b, Value k) {
                    return createProduct(b, first.load(b, i, k), second.load(b, k, j));
                  });
    dest.add(b, isAtomic, isNegative ? ArithNegOp::create(b, sum).getResult() : sum, i,
             j);
  };
  bool isLower = op.getTriangle() == Triangle::L;
  forParts(b, a, isLower ? ForElement(add) : nullptr,
           op.getUnit() ? nullptr : ForElement(add),
           isLower ? nullptr : ForElement(add));
}

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_FACTORRULES_H
