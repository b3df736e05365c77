//===- ScalarOps.cpp - Arithmetic, comparisons, casts, constants ----------===//

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tinytc;

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cst");
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
LogicalResult ConstantOp::verify() { return success(); }
OpFoldResult CastOp::fold(FoldAdaptor) { return {}; }
LogicalResult CastOp::verify() { return success(); }

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

#define TINYTC_NO_FOLD(OP)                                                         \
  OpFoldResult OP::fold(FoldAdaptor) { return {}; }
TINYTC_NO_FOLD(ArithAddOp)
TINYTC_NO_FOLD(ArithSubOp)
TINYTC_NO_FOLD(ArithMulOp)
TINYTC_NO_FOLD(ArithDivOp)
TINYTC_NO_FOLD(ArithRemOp)
TINYTC_NO_FOLD(ArithShlOp)
TINYTC_NO_FOLD(ArithShrOp)
TINYTC_NO_FOLD(ArithAndOp)
TINYTC_NO_FOLD(ArithOrOp)
TINYTC_NO_FOLD(ArithXorOp)
TINYTC_NO_FOLD(ArithMinOp)
TINYTC_NO_FOLD(ArithMaxOp)
TINYTC_NO_FOLD(ArithAbsOp)
TINYTC_NO_FOLD(ArithNegOp)
TINYTC_NO_FOLD(ArithNotOp)
TINYTC_NO_FOLD(ArithConjOp)
TINYTC_NO_FOLD(ArithImOp)
TINYTC_NO_FOLD(ArithReOp)
TINYTC_NO_FOLD(CmpEqOp)
TINYTC_NO_FOLD(CmpNeOp)
TINYTC_NO_FOLD(CmpGtOp)
TINYTC_NO_FOLD(CmpGeOp)
TINYTC_NO_FOLD(CmpLtOp)
TINYTC_NO_FOLD(CmpLeOp)
#undef TINYTC_NO_FOLD
