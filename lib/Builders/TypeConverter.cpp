//===- TypeConverter.cpp - Types of the linalg stage ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/TypeConverter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The builtin memref with `offset`; local memory is the workgroup space of gpu.
static MemRefType getBuiltinType(MemrefType type, int64_t offset) {
  MLIRContext *context = type.getContext();
  auto layout = StridedLayoutAttr::get(context, offset, type.getStride());
  Attribute space;
  if (type.isLocal())
    space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  return MemRefType::get(type.getShape(), type.getElementType(), layout, space);
}

MemRefType LinalgTypeConverter::getViewType(MemrefType type) {
  return getBuiltinType(type, ShapedType::kDynamic);
}

Type LinalgTypeConverter::getParameterType(Type type) {
  if (auto memref = dyn_cast<MemrefType>(type))
    return getBuiltinType(memref, 0);
  if (auto group = dyn_cast<GroupType>(type))
    return MemRefType::get(group.getSize(),
                           getBuiltinType(group.getMemrefType(), group.getOffset()));
  return type;
}

LinalgTypeConverter::LinalgTypeConverter(int32_t subgroupSize, CoopMatrixLimits limits)
    : subgroupSize(subgroupSize), limits(limits) {
  addConversion([](Type type) { return type; });
  addConversion([](MemrefType type) -> Type { return getViewType(type); });
  addConversion([](GroupType type) { return getParameterType(type); });
  addConversion([this](CoopMatrixType type, SmallVectorImpl<Type> &types) {
    types.append(getLayout(type).getNumComponents(), type.getElementType());
    return success();
  });
}
