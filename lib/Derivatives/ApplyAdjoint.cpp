//===- ApplyAdjoint.cpp - Adjoint of cooperative_matrix_apply -------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// For each matrix, and for each scalar from outside, an apply yields the components of
// its adjoint: it runs the region again, then the adjoint of that.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/KernelAdjoint.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

static LogicalResult checkApply(CooperativeMatrixApplyOp op, ValueRange outer,
                                const Activity &activity) {
  if (failed(refuseWrites(op)))
    return failure();
  for (Value matrix : op.getMatrices())
    if (cast<CoopMatrixType>(matrix.getType()).getUse() != MatrixUse::Acc)
      return refuse(op, "its matrices are not matrix_acc");
  for (Value value : outer)
    if (isa<CoopMatrixType>(value.getType()))
      return refuse(op, "its region takes a matrix from outside");
  WalkResult result = op->walk([&](Operation *nested) {
    bool isActive = llvm::any_of(getMemrefUses(nested), [&](const MemrefUse &use) {
      return activity.isActive(use.memref);
    });
    return isActive ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return refuse(op, "its region loads what is differentiated");
  return success();
}

/// The components of the adjoint of `wanted`, a component or a scalar from outside.
FailureOr<Value> KernelAdjoint::emitApply(CooperativeMatrixApplyOp op, Value adjoint,
                                          Value wanted) {
  SmallVector<Value> matrices = {adjoint};
  for (Value matrix : op.getMatrices())
    matrices.push_back(getPrimal(matrix));
  auto shape = cast<CoopMatrixType>(adjoint.getType());
  auto type = CoopMatrixType::get(shape.getRows(), shape.getColumns(), wanted.getType(),
                                  MatrixUse::Acc);
  LogicalResult status = success();
  Block &body = op.getBody().front();
  auto emitBody = [&](ImplicitLocOpBuilder &, ValueRange arguments) {
    SmallVector<Value> components(arguments.take_front(2));
    llvm::append_range(components, arguments.drop_front(3));
    primals.map(body.getArguments(), components);
    addAdjoint(body.getTerminator()->getOperand(0), arguments[2]);
    status = emitBlock(body);
    Value found = getAdjointOrZero(wanted);
    for (Value argument : body.getArguments())
      adjoints.erase(argument);
    return found;
  };
  Value found = createApply(builder, type, matrices, emitBody);
  if (failed(status))
    return failure();
  return found;
}

LogicalResult KernelAdjoint::emitAdjointOfApply(CooperativeMatrixApplyOp op) {
  Value adjoint = takeAdjoint(op.getResult());
  if (!adjoint)
    return success();
  SmallVector<Value> outer = getOuterValues(op);
  if (failed(checkApply(op, outer, activity)))
    return failure();
  SmallVector<std::pair<Value, Value>> terms;
  for (Value value : outer)
    terms.push_back({value, takeAdjoint(value)});
  auto add = [&](Value wanted, Value value, bool isSum) {
    FailureOr<Value> components = emitApply(op, adjoint, wanted);
    for (Value inner : outer)
      adjoints.erase(inner);
    if (failed(components))
      return failure();
    Value term = isSum ? createComponentSum(builder, *components) : *components;
    terms.push_back({value, term});
    return success();
  };
  auto components = op.getBody().getArguments().drop_front(2);
  for (auto [matrix, component] : llvm::zip_equal(op.getMatrices(), components))
    if (isActive(matrix) && failed(add(component, matrix, false)))
      return failure();
  for (Value value : outer)
    if (failed(add(value, value, true)))
      return failure();
  for (auto [value, term] : terms)
    if (term)
      addAdjoint(value, term);
  return success();
}
