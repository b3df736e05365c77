//===- LoweringOps.cpp - Ops that only the lowering makes -----------------===//

#include "dialect/TinyTC.h"

using namespace mlir;
using namespace mlir::tinytc;

static int64_t twice(int64_t size) {
  return ShapedType::isDynamic(size) ? size : 2 * size;
}

LogicalResult ComplexPartsOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &inferred) {
  auto type = cast<MemRefType>(adaptor.getSource().getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
      strides.front() != 1)
    return emitOptionalError(
        location, "expected 'source' to have a first stride of 1, got ", type);
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = twice(shape.front());
  for (int64_t &stride : MutableArrayRef(strides).drop_front())
    stride = twice(stride);
  inferred.push_back(MemRefType::get(
      shape, getRealType(type.getElementType()),
      StridedLayoutAttr::get(context, twice(offset), strides), type.getMemorySpace()));
  return success();
}
