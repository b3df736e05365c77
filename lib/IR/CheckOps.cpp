//===- CheckOps.cpp - The ops of debug builds -----------------------------===//

#include "lib/IR/Verify.h"

using namespace mlir;
using namespace mlir::tinytc;

LogicalResult ReportOp::verify() {
  auto type = MemrefType::get({kEntries}, IntegerType::get(getContext(), 64));
  if (getBuffer().getType() != type)
    return emitOpError("expected 'buffer' to have type ")
           << type << ", got " << getBuffer().getType();
  constexpr size_t limit = kEntries - kHeaderEntries;
  if (getValues().size() > limit)
    return emitOpError("expected at most ")
           << limit << " values, got " << getValues().size();
  return success();
}

OpFoldResult StrideOp::fold(FoldAdaptor) {
  int64_t stride = getSource().getType().getStride()[getMode()];
  if (ShapedType::isDynamic(stride))
    return {};
  return IntegerAttr::get(getType(), stride);
}

LogicalResult StrideOp::verify() {
  return verifyMode(*this, getMode(), getSource().getType().getOrder());
}

LogicalResult IsConvertibleOp::verify() {
  Type type = getTypeAttr().getValue();
  if (isScalarType(type) && type.isIntOrIndex())
    return success();
  return emitOpError("expected 'type' to be an integer type, got ") << type;
}
