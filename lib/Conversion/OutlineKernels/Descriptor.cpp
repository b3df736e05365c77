//===- Descriptor.cpp - A memref as pointer and dope vector ---------------===//

#include "lib/Conversion/OutlineKernels/Descriptor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

Type tinytc::getStorageType(Type elementType) {
  if (elementType.isBF16())
    return IntegerType::get(elementType.getContext(), 16);
  if (elementType.isIndex())
    return IntegerType::get(elementType.getContext(), 64);
  if (auto complexType = dyn_cast<ComplexType>(elementType))
    return complexType.getElementType();
  return elementType;
}

MemRefType tinytc::getPointerType(MemRefType type) {
  Type element = type.getElementType();
  if (auto inner = dyn_cast<MemRefType>(element))
    element = getPointerType(inner);
  return MemRefType::get(ShapedType::kDynamic, getStorageType(element),
                         MemRefLayoutAttrInterface(), type.getMemorySpace());
}

bool tinytc::isPointerType(MemRefType type) { return type == getPointerType(type); }

bool tinytc::isGroupType(MemRefType type) {
  return isa<MemRefType>(type.getElementType());
}

void tinytc::getDescriptorTypes(MemRefType type, SmallVectorImpl<Type> &types) {
  Type index = IndexType::get(type.getContext());
  types.push_back(getPointerType(type));
  if (isGroupType(type)) {
    auto inner = cast<MemRefType>(type.getElementType());
    auto [strides, offset] = inner.getStridesAndOffset();
    auto array = MemRefType::get(ShapedType::kDynamic,
                                 IntegerType::get(type.getContext(), 64));
    types.append(inner.getNumDynamicDims() +
                     llvm::count_if(strides, ShapedType::isDynamic),
                 array);
    types.append(type.getNumDynamicDims() + ShapedType::isDynamic(offset), index);
    return;
  }
  auto [strides, offset] = type.getStridesAndOffset();
  types.append(type.getNumDynamicDims() +
                   llvm::count_if(strides, ShapedType::isDynamic) +
                   ShapedType::isDynamic(offset),
               index);
}

Descriptor::Descriptor(MemRefType type, ValueRange values) : pointer(values.front()) {
  Builder builder(type.getContext());
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  size_t next = 1;
  auto getEntry = [&](int64_t constant) -> OpFoldResult {
    if (ShapedType::isDynamic(constant))
      return values[next++];
    return builder.getIndexAttr(constant);
  };
  sizes = llvm::map_to_vector(type.getShape(), getEntry);
  strides = llvm::map_to_vector(typeStrides, getEntry);
  offset = getEntry(typeOffset);
}

Value Descriptor::getLinearIndex(OpBuilder &builder, Location loc,
                                 ValueRange indices) const {
  Value linear;
  auto add = [&](Value term) {
    linear = linear ? arith::AddIOp::create(builder, loc, linear, term) : term;
  };
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    if (isZeroInteger(index))
      continue;
    if (isOneInteger(stride))
      add(index);
    else
      add(arith::MulIOp::create(builder, loc, index,
                                getValueOrCreateConstantIndexOp(builder, loc, stride)));
  }
  if (!linear || !isZeroInteger(offset))
    add(getValueOrCreateConstantIndexOp(builder, loc, offset));
  return linear;
}

SmallVector<Value> Descriptor::pack(OpBuilder &builder, Location loc, MemRefType type,
                                    Value pointer, ArrayRef<OpFoldResult> sizes,
                                    ArrayRef<OpFoldResult> strides,
                                    OpFoldResult offset) {
  SmallVector<Value> values{pointer};
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  auto addEntry = [&](int64_t constant, OpFoldResult entry) {
    if (ShapedType::isDynamic(constant))
      values.push_back(getValueOrCreateConstantIndexOp(builder, loc, entry));
  };
  for (auto [constant, size] : llvm::zip(type.getShape(), sizes))
    addEntry(constant, size);
  for (auto [constant, stride] : llvm::zip(typeStrides, strides))
    addEntry(constant, stride);
  addEntry(typeOffset, offset);
  return values;
}
