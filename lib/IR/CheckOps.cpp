//===- CheckOps.cpp - Prints and the ops of debug builds ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

using namespace mlir;
using namespace mlir::tinytc;

LogicalResult PrintOp::verify() {
  constexpr int64_t limit = ReportOp::kEntries - ReportOp::kHeaderEntries;
  int64_t count = 0;
  for (Type type : getValues().getTypes())
    count += isa<ComplexType>(type) ? 2 : 1;
  // print_c1
  if (count > limit)
    return emitOpError("expected at most ")
           << limit << " numbers to print, a complex one counting twice, got " << count;
  return success();
}

MemrefType ReportOp::getBufferType(MLIRContext *context, bool hasPrints) {
  int64_t records = hasPrints ? 2 + kPrints : 1;
  return MemrefType::get({records * kEntries}, IntegerType::get(context, 64));
}

LogicalResult ReportOp::verify() {
  MemrefType small = getBufferType(getContext(), /*hasPrints=*/false);
  MemrefType large = getBufferType(getContext(), /*hasPrints=*/true);
  Type type = getBuffer().getType();
  if (type != large && (getPrint() || type != small))
    return emitOpError("expected 'buffer' to have type ")
           << (getPrint() ? large : small) << ", got " << type;
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
