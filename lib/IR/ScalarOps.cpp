//===- ScalarOps.cpp - Arithmetic, comparisons, casts, constants ----------===//

#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cst");
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::build(OpBuilder &builder, OperationState &state, Type type,
                       int64_t number) {
  auto get = [&](Type part, int64_t value) -> Attribute {
    if (isa<FloatType>(part))
      return builder.getFloatAttr(part, static_cast<double>(value));
    return builder.getIntegerAttr(part, value);
  };
  Type scalar = getScalarType(type);
  auto complexType = dyn_cast<ComplexType>(scalar);
  if (!complexType)
    return build(builder, state, type, get(scalar, number));
  Type part = complexType.getElementType();
  build(builder, state, type, builder.getArrayAttr({get(part, number), get(part, 0)}));
}

/// Whether a constant is equal to a number; -0.0 is equal to 0.
static bool equals(Attribute value, uint64_t number) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getValue() == number;
  if (auto real = dyn_cast<FloatAttr>(value)) {
    const APFloat &found = real.getValue();
    return number == 0 ? found.isZero()
                       : found.isExactlyValue(static_cast<double>(number));
  }
  auto parts = dyn_cast<ArrayAttr>(value);
  return parts && parts.size() == 2 && equals(parts[0], number) && equals(parts[1], 0);
}

bool tinytc::isConstant(Value value, uint64_t number) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) && equals(constant, number);
}

static bool isComplexOf(Attribute value, Type component) {
  auto parts = dyn_cast<ArrayAttr>(value);
  return parts && parts.size() == 2 && llvm::all_of(parts, [&](Attribute part) {
           auto real = dyn_cast<FloatAttr>(part);
           return real && real.getType() == component;
         });
}

LogicalResult ConstantOp::verify() {
  // constant_c1
  Type type = getScalarType(getType());
  auto complexType = dyn_cast<ComplexType>(type);
  auto typed = dyn_cast<TypedAttr>(getValue());
  if (complexType ? !isComplexOf(getValue(), complexType.getElementType())
                  : !isa<IntegerAttr, FloatAttr>(getValue()) || typed.getType() != type)
    return emitOpError("expected a constant of type ")
           << type << ", got " << getValue();
  // constant_c2
  auto integer = dyn_cast<IntegerAttr>(getValue());
  if (integer && integer.getValue().getBitWidth() == 64 &&
      integer.getValue().isMinSignedValue())
    return emitOpError("expected an integer constant of at least -2^63 + 1, got ")
           << getValue();
  return success();
}

LogicalResult CastOp::verify() {
  auto from = dyn_cast<CoopMatrixType>(getA().getType());
  auto to = dyn_cast<CoopMatrixType>(getType());
  // cast_c1
  if (!from != !to)
    return emitOpError("expected a cast between two scalars or two coopmatrices, got ")
           << getA().getType() << " and " << getType();
  // cast_c2
  if (from && (from.getRows() != to.getRows() || from.getColumns() != to.getColumns()))
    return emitOpError("expected 'result' to have the shape of 'a', got ")
           << from << " and " << to;
  if (from && from.getUse() != to.getUse() && from.getUse() != MatrixUse::Acc)
    return emitOpError("expected 'result' to have the use of 'a', unless that is "
                       "matrix_acc, got ")
           << from << " and " << to;
  // cast_c3
  if (!isCastAllowed(getScalarType(getA().getType()), getScalarType(getType())))
    return emitOpError("expected a complex result of a complex operand, got ")
           << getScalarType(getA().getType()) << " and " << getScalarType(getType());
  return success();
}

/// Integer division is undefined for a divisor that may be zero.
static Speculation::Speculatability getDivisionSpeculatability(Type type) {
  return isa<FloatType>(getRealType(getScalarType(type)))
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

Speculation::Speculatability ArithDivOp::getSpeculatability() {
  return getDivisionSpeculatability(getType());
}

Speculation::Speculatability ArithRemOp::getSpeculatability() {
  return getDivisionSpeculatability(getType());
}
