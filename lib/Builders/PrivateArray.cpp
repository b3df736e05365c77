//===- PrivateArray.cpp - Scalars of one work-item in memory --------------===//

#include "lib/Builders/PrivateArray.h"
#include "dialect/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

PrivateArray::PrivateArray(ImplicitLocOpBuilder &builder, Type elementType,
                           int64_t size)
    : type(elementType) {
  Type stored = getStorageType(type);
  auto space =
      gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
  auto memrefType = MemRefType::get(isa<ComplexType>(type) ? 2 * size : size, stored,
                                    MemRefLayoutAttrInterface(), space);
  memref = memref::AllocaOp::create(builder, memrefType);
}

/// The places of the parts of a complex number.
static std::pair<Value, Value> getPartPlaces(ImplicitLocOpBuilder &builder,
                                             Value index) {
  Value two = arith::ConstantIndexOp::create(builder, 2);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value re = arith::MulIOp::create(builder, index, two);
  return {re, arith::AddIOp::create(builder, re, one)};
}

Value PrivateArray::load(ImplicitLocOpBuilder &builder, Value index) const {
  if (!isa<ComplexType>(type)) {
    Value value = memref::LoadOp::create(builder, memref, index);
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, type, value);
    return isStoredAsBits(type) ? arith::BitcastOp::create(builder, type, value)
                                : value;
  }
  auto [re, im] = getPartPlaces(builder, index);
  return complex::CreateOp::create(builder, type,
                                   memref::LoadOp::create(builder, memref, re),
                                   memref::LoadOp::create(builder, memref, im));
}

void PrivateArray::store(ImplicitLocOpBuilder &builder, Value value,
                         Value index) const {
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, getStorageType(type), value);
  if (isStoredAsBits(type))
    value = arith::BitcastOp::create(builder, getStorageType(type), value);
  if (!isa<ComplexType>(type)) {
    memref::StoreOp::create(builder, value, memref, index);
    return;
  }
  auto [re, im] = getPartPlaces(builder, index);
  memref::StoreOp::create(builder, complex::ReOp::create(builder, value), memref, re);
  memref::StoreOp::create(builder, complex::ImOp::create(builder, value), memref, im);
}
