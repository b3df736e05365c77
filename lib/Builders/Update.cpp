//===- Update.cpp - alpha ... + beta C of BLAS-like instructions ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/Update.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

Value Update::scale(ImplicitLocOpBuilder &builder, Value value) const {
  Type type = getComputeType();
  ScalarBuilder scalars(builder, /*contract=*/true);
  value = scalars.cast(value, type);
  return isAlphaOne ? value : scalars.mul(scalars.cast(alpha, type), value);
}

Value Update::emitScaled(ImplicitLocOpBuilder &builder, Value value) const {
  return ScalarBuilder(builder).cast(scale(builder, value), getType().getElementType());
}

Value Update::emit(ImplicitLocOpBuilder &builder, Value value, Value old) const {
  ScalarBuilder scalars(builder, /*contract=*/true);
  value = scale(builder, value);
  if (!isBetaZero)
    value = scalars.add(value, emitScaledOld(builder, old, getComputeType()));
  return scalars.cast(value, getType().getElementType());
}

Value Update::emitScaledOld(ImplicitLocOpBuilder &builder, Value old, Type type) const {
  ScalarBuilder scalars(builder, /*contract=*/true);
  if (isBetaOne)
    return scalars.cast(old, type);
  // Integers have no NaN.
  if (!isa<FloatType, ComplexType>(type))
    return scalars.mul(scalars.cast(beta, type), scalars.cast(old, type));
  Value zero = scalars.constant(beta.getType(), 0);
  Value isRead = scalars.notEqual(beta, zero);
  auto branch = scf::IfOp::create(builder, type, isRead, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value scaled = scalars.mul(scalars.cast(beta, type), scalars.cast(old, type));
  scf::YieldOp::create(builder, scaled);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, scalars.constant(type, 0));
  return branch.getResult(0);
}
