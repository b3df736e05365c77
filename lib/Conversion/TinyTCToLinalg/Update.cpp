//===- Update.cpp - alpha ... + beta C of BLAS-like instructions ----------===//

#include "lib/Conversion/TinyTCToLinalg/Update.h"
#include "dialect/TinyTC.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

bool tinytc::isConstant(Value value, int64_t number) {
  auto constant = value.getDefiningOp<tinytc::ConstantOp>();
  if (!constant)
    return false;
  auto equals = [number](Attribute attr, int64_t expected) {
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      return integer.getValue() == expected;
    auto floating = dyn_cast<FloatAttr>(attr);
    return floating && floating.getValue().isExactlyValue(expected);
  };
  if (auto parts = dyn_cast<ArrayAttr>(constant.getValue()))
    return equals(parts[0], number) && equals(parts[1], 0);
  return equals(constant.getValue(), number);
}

Value Update::emit(OpBuilder &builder, Location loc, Value value, Value old) const {
  Type type = getComputeType();
  ScalarBuilder scalars(builder, loc, /*contract=*/true);
  value = scalars.cast(value, type);
  if (!isAlphaOne)
    value = scalars.mul(scalars.cast(alpha, type), value);
  // An atomic sum is one operation in the element type.
  if (atomic && !isBetaZero)
    return scalars.add(scalars.cast(value, getType().getElementType()), old);
  if (!isBetaZero)
    value = scalars.add(value, emitScaledOld(builder, loc, old, type));
  return scalars.cast(value, getType().getElementType());
}

Value Update::emitScaledOld(OpBuilder &builder, Location loc, Value old, Type type) const {
  ScalarBuilder scalars(builder, loc, /*contract=*/true);
  if (isBetaOne)
    return scalars.cast(old, type);
  // Integers have no NaN.
  if (!isa<FloatType, ComplexType>(type))
    return scalars.mul(scalars.cast(beta, type), scalars.cast(old, type));
  Value zero = scalars.constant(beta.getType(), 0);
  Value isRead = scalars.notEqual(beta, zero);
  auto branch = scf::IfOp::create(builder, loc, type, isRead, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value scaled = scalars.mul(scalars.cast(beta, type), scalars.cast(old, type));
  scf::YieldOp::create(builder, loc, scaled);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, scalars.constant(type, 0));
  return branch.getResult(0);
}
