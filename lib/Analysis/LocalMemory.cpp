//===- LocalMemory.cpp - Places of allocas in local memory ----------------===//

#include "lib/Analysis/LocalMemory.h"

using namespace mlir;
using namespace mlir::tinytc;

int64_t tinytc::getLocalBytes(MemrefType type) {
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip(type.getShape(), type.getStride()))
    elements += (size - 1) * stride;
  return std::max<int64_t>(elements, 1) * getSizeBytes(type.getElementType());
}

std::optional<LocalRange> tinytc::getLocalRange(AllocaOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>(kLocalOffsetAttrName);
  if (!offset)
    return std::nullopt;
  return LocalRange{offset.getInt(), getLocalBytes(op.getType())};
}
