//===- LocalMemory.cpp - Places of allocas in local memory ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/LocalMemory.h"
#include "dialect/DiscardableAttrs.h"

using namespace mlir;
using namespace mlir::tinytc;

using LocalOffset = TinyTCDialect::LocalOffsetAttrHelper;

int64_t tinytc::getLocalBytes(MemrefType type) {
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip(type.getShape(), type.getStride()))
    elements += (size - 1) * stride;
  return std::max<int64_t>(elements, 1) * getSizeBytes(type.getElementType());
}

std::optional<int64_t> tinytc::getLocalOffset(Operation *op) {
  IntegerAttr offset = getDiscardable<LocalOffset>(op);
  return offset ? std::optional(offset.getInt()) : std::nullopt;
}

std::optional<LocalRange> tinytc::getLocalRange(AllocaOp op) {
  std::optional<int64_t> offset = getLocalOffset(op);
  if (!offset)
    return std::nullopt;
  return LocalRange{*offset, getLocalBytes(op.getType())};
}

void tinytc::setLocalOffset(Operation *op, int64_t offset) {
  Type i64 = IntegerType::get(op->getContext(), 64);
  setDiscardable<LocalOffset>(op, IntegerAttr::get(i64, offset));
}
