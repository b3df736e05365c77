//===- ScalarOps.cpp - Arithmetic, comparisons, casts, constants ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

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

/// Whether a number is -2^63, which no constant is.
static bool isLeast(const APInt &number) {
  return number.getBitWidth() == 64 && number.isMinSignedValue();
}

static LogicalResult emitLeast(ConstantOp op) {
  return op.emitOpError("expected integers of at least -2^63 + 1, got -2^63");
}

/// The value of a constant memref.
static LogicalResult verifyTensor(ConstantOp op, MemrefType type) {
  // constant_c3
  if (!type.hasStaticShape() || !type.hasPackedStride() || type.isLocal())
    return op.emitOpError("expected a memref of static shape, of the packed layout and "
                          "in the global address space, got ")
           << type;
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  Type expected = RankedTensorType::get(type.getShape(), type.getElementType());
  if (!dense || dense.getType() != expected)
    return op.emitOpError("expected a dense value of type ")
           << expected << ", got "
           << (dense ? Attribute(TypeAttr::get(dense.getType())) : op.getValue());
  // constant_c2
  if (isa<IntegerType, IndexType>(dense.getElementType()) &&
      llvm::any_of(dense.getValues<APInt>(), isLeast))
    return emitLeast(op);
  return success();
}

/// The first write to a memref or to a view of it, null if there is none.
static Operation *findWrite(Value memref) {
  for (Operation *user : memref.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      if (Operation *write = findWrite(view.getViewDest()))
        return write;
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (effects && effects.getEffectOnValue<MemoryEffects::Write>(memref))
      return user;
  }
  return nullptr;
}

LogicalResult ConstantOp::verify() {
  if (auto memref = dyn_cast<MemrefType>(getType())) {
    if (failed(verifyTensor(*this, memref)))
      return failure();
    // constant_c4
    if (Operation *write = findWrite(getResult()))
      return (write->emitOpError("expected memory that may be written, got a constant")
                      .attachNote(getLoc())
                  << "the constant is here",
              failure());
    return success();
  }
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
  if (integer && isLeast(integer.getValue()))
    return emitLeast(*this);
  return success();
}

LogicalResult CastOp::verify() {
  // cast_c1
  if (failed(verifySameKind(*this, getA().getType(), getType())))
    return failure();
  // cast_c2
  auto from = dyn_cast<CoopMatrixType>(getA().getType());
  if (from &&
      failed(verifyConversion(*this, "'a'", from, cast<CoopMatrixType>(getType()))))
    return failure();
  // cast_c3
  if (!isCastAllowed(getScalarType(getA().getType()), getScalarType(getType())))
    return emitOpError("expected a complex result of a complex operand, got ")
           << getScalarType(getA().getType()) << " and " << getScalarType(getType());
  return success();
}

/// Whether the language has a bitcast from one type to the other.
static bool isBitcastAllowed(Type from, Type to) {
  if (!from.isIntOrIndex())
    std::swap(from, to);
  if (auto complexType = dyn_cast<ComplexType>(to))
    return from.isInteger(64) && complexType.getElementType().isF32();
  return isa<FloatType>(to) && from.isInteger(to.getIntOrFloatBitWidth());
}

LogicalResult BitcastOp::verify() {
  // bitcast_c1
  if (failed(verifySameKind(*this, getA().getType(), getType())))
    return failure();
  // bitcast_c2
  auto matrix = dyn_cast<CoopMatrixType>(getA().getType());
  if (matrix &&
      failed(verifyConversion(*this, "'a'", matrix, cast<CoopMatrixType>(getType()))))
    return failure();
  // bitcast_c3
  Type from = getScalarType(getA().getType()), to = getScalarType(getType());
  if (!isBitcastAllowed(from, to))
    return emitOpError("expected an integer and a floating type of as many bits, or "
                       "i64 and c32, got ")
           << from << " and " << to;
  return success();
}

namespace {

/// bitcast (bitcast %a) => cast %a, where only the use of the matrix changes.
struct MergeBitcasts : OpRewritePattern<BitcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BitcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getA().getDefiningOp<BitcastOp>();
    if (!inner || getScalarType(inner.getA().getType()) != getScalarType(op.getType()))
      return rewriter.notifyMatchFailure(op, "the bits get another type");
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getA());
    return success();
  }
};

} // namespace

void BitcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeBitcasts>(context);
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
