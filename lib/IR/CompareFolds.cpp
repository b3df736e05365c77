//===- CompareFolds.cpp - Folders of comparisons and casts ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Negative, 0 or positive if a is less than, equal to or greater than b; nothing if
/// that is not known, or if devices differ because of NaN.
static std::optional<int> compare(Attribute a, Attribute b) {
  auto integerA = dyn_cast_or_null<IntegerAttr>(a);
  auto integerB = dyn_cast_or_null<IntegerAttr>(b);
  if (integerA && integerB) {
    if (integerA.getValue() == integerB.getValue())
      return 0;
    return integerA.getValue().slt(integerB.getValue()) ? -1 : 1;
  }
  auto floatA = dyn_cast_or_null<FloatAttr>(a), floatB = dyn_cast_or_null<FloatAttr>(b);
  if (floatA && floatB) {
    APFloat::cmpResult order = floatA.getValue().compare(floatB.getValue());
    if (order == APFloat::cmpUnordered)
      return std::nullopt;
    return order == APFloat::cmpEqual ? 0 : order == APFloat::cmpLessThan ? -1 : 1;
  }
  auto partsA = dyn_cast_or_null<ArrayAttr>(a), partsB = dyn_cast_or_null<ArrayAttr>(b);
  if (!partsA || !partsB || partsA.size() != 2 || partsB.size() != 2)
    return std::nullopt;
  std::optional<int> real = compare(partsA[0], partsB[0]);
  std::optional<int> imaginary = compare(partsA[1], partsB[1]);
  if (!real || !imaginary)
    return std::nullopt;
  return *real != 0 ? *real : *imaginary;
}

template <typename CmpOp, typename Adaptor>
static OpFoldResult foldCmp(CmpOp op, Adaptor adaptor, bool (*holds)(int)) {
  std::optional<int> order = compare(adaptor.getA(), adaptor.getB());
  if (op.getA() == op.getB() && op.getA().getType().isIntOrIndex())
    order = 0;
  if (!order)
    return {};
  return BoolAttr::get(op.getContext(), holds(*order));
}

OpFoldResult CmpEqOp::fold(FoldAdaptor adaptor) {
  return foldCmp(*this, adaptor, [](int order) { return order == 0; });
}
OpFoldResult CmpNeOp::fold(FoldAdaptor adaptor) {
  return foldCmp(*this, adaptor, [](int order) { return order != 0; });
}
OpFoldResult CmpGtOp::fold(FoldAdaptor adaptor) {
  return foldCmp(*this, adaptor, [](int order) { return order > 0; });
}
OpFoldResult CmpGeOp::fold(FoldAdaptor adaptor) {
  return foldCmp(*this, adaptor, [](int order) { return order >= 0; });
}
OpFoldResult CmpLtOp::fold(FoldAdaptor adaptor) {
  return foldCmp(*this, adaptor, [](int order) { return order < 0; });
}
OpFoldResult CmpLeOp::fold(FoldAdaptor adaptor) {
  return foldCmp(*this, adaptor, [](int order) { return order <= 0; });
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static Attribute castToInteger(Attribute value, Type type) {
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  APSInt result(width, /*isUnsigned=*/false);
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    result = APSInt(integer.getValue().sextOrTrunc(width), /*isUnsigned=*/false);
  } else if (auto real = dyn_cast<FloatAttr>(value)) {
    bool isExact = false;
    if (real.getValue().convertToInteger(result, APFloat::rmTowardZero, &isExact) ==
        APFloat::opInvalidOp)
      return {};
  } else {
    return {};
  }
  // The language has no constant -2^63.
  if (width == 64 && result.isMinSignedValue())
    return {};
  return IntegerAttr::get(type, result);
}

static Attribute castToFloat(Attribute value, FloatType type) {
  APFloat result(type.getFloatSemantics());
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    result.convertFromAPInt(integer.getValue(), /*IsSigned=*/true,
                            APFloat::rmNearestTiesToEven);
  } else if (auto real = dyn_cast<FloatAttr>(value)) {
    bool losesInfo = false;
    result = real.getValue();
    result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  } else {
    return {};
  }
  return result.isNaN() ? Attribute() : FloatAttr::get(type, result);
}

static Attribute castToComplex(Attribute value, FloatType part) {
  Attribute real = value, imaginary = FloatAttr::get(part, 0.0);
  if (auto parts = dyn_cast<ArrayAttr>(value)) {
    real = parts[0];
    imaginary = castToFloat(parts[1], part);
  }
  real = castToFloat(real, part);
  if (!real || !imaginary)
    return {};
  return ArrayAttr::get(value.getContext(), {real, imaginary});
}

/// The constant with the same bits; nothing for a NaN, whose bits its spelling lacks.
static Attribute castBits(Attribute value, Type type) {
  if (auto parts = dyn_cast<ArrayAttr>(value)) {
    APFloat re = cast<FloatAttr>(parts[0]).getValue();
    APFloat im = cast<FloatAttr>(parts[1]).getValue();
    if (re.isNaN() || im.isNaN())
      return {};
    APInt bits = im.bitcastToAPInt().concat(re.bitcastToAPInt());
    return bits.isMinSignedValue() ? Attribute() : IntegerAttr::get(type, bits);
  }
  if (auto real = dyn_cast<FloatAttr>(value)) {
    APInt bits = real.getValue().bitcastToAPInt();
    // The language has no constant -2^63.
    bool isMissing = bits.getBitWidth() == 64 && bits.isMinSignedValue();
    return real.getValue().isNaN() || isMissing ? Attribute()
                                                : IntegerAttr::get(type, bits);
  }
  auto getReal = [](Type real, const APInt &bits) -> Attribute {
    APFloat result(cast<FloatType>(real).getFloatSemantics(), bits);
    return result.isNaN() ? Attribute() : FloatAttr::get(real, result);
  };
  APInt bits = cast<IntegerAttr>(value).getValue();
  auto complexType = dyn_cast<ComplexType>(type);
  if (!complexType)
    return getReal(type, bits);
  Attribute re = getReal(complexType.getElementType(), bits.trunc(32));
  Attribute im = getReal(complexType.getElementType(), bits.lshr(32).trunc(32));
  return re && im ? ArrayAttr::get(type.getContext(), {re, im}) : Attribute();
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  auto inner = getA().getDefiningOp<BitcastOp>();
  if (inner && inner.getA().getType() == getType())
    return inner.getA();
  return adaptor.getA() ? castBits(adaptor.getA(), getScalarType(getType()))
                        : Attribute();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getA().getType() == getType())
    return getA();
  if (!adaptor.getA())
    return {};
  Type type = getScalarType(getType());
  if (auto complexType = dyn_cast<ComplexType>(type))
    return castToComplex(adaptor.getA(), cast<FloatType>(complexType.getElementType()));
  if (auto floatType = dyn_cast<FloatType>(type))
    return castToFloat(adaptor.getA(), floatType);
  return castToInteger(adaptor.getA(), type);
}
