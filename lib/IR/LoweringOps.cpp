//===- LoweringOps.cpp - Ops that only the lowering makes -----------------===//

#include "dialect/TinyTC.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Twice a size, a stride or an offset, which may be dynamic; none if it overflows.
static std::optional<int64_t> twice(int64_t size) {
  int64_t result;
  if (ShapedType::isDynamic(size))
    return size;
  if (llvm::MulOverflow<int64_t>(size, 2, result))
    return std::nullopt;
  return result;
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
  SmallVector<int64_t *> doubled = {&shape.front(), &offset};
  for (int64_t &stride : MutableArrayRef(strides).drop_front())
    doubled.push_back(&stride);
  for (int64_t *value : doubled) {
    std::optional<int64_t> result = twice(*value);
    if (!result)
      return emitOptionalError(location,
                               "expected 'source' to have at most 2^63 - 1 parts along "
                               "a mode, got ",
                               type);
    *value = *result;
  }
  inferred.push_back(MemRefType::get(shape, getRealType(type.getElementType()),
                                     StridedLayoutAttr::get(context, offset, strides),
                                     type.getMemorySpace()));
  return success();
}
