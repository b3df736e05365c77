//===- PrivateArray.cpp - Scalars of one work-item in memory --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/PrivateArray.h"
#include "dialect/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

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
  Value re = builder.createOrFold<arith::MulIOp>(index, two);
  return {re, builder.createOrFold<arith::AddIOp>(re, one)};
}

/// The array that a value was loaded from at a constant place; null if it was not.
static Value getLoadedFrom(Value value, int64_t place) {
  if (auto pair = value.getDefiningOp<complex::CreateOp>()) {
    Value memref = getLoadedFrom(pair.getReal(), 2 * place);
    bool isPair = memref && getLoadedFrom(pair.getImaginary(), 2 * place + 1) == memref;
    return isPair ? memref : Value();
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::BitcastOp, arith::IndexCastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto load = dyn_cast_or_null<memref::LoadOp>(op);
  if (!load || !load.getMemRef().getDefiningOp<memref::AllocaOp>())
    return {};
  APInt index;
  bool isThere = load.getIndices().size() == 1 &&
                 matchPattern(load.getIndices().front(), m_ConstantInt(&index)) &&
                 index.getSExtValue() == place;
  return isThere ? load.getMemRef() : Value();
}

std::optional<PrivateArray> PrivateArray::find(ArrayRef<Value> values) {
  Value memref = getLoadedFrom(values.front(), 0);
  if (!memref)
    return {};
  for (auto [place, value] : llvm::enumerate(values))
    if (getLoadedFrom(value, int64_t(place)) != memref)
      return {};
  return PrivateArray(values.front().getType(), memref);
}

PrivateArray PrivateArray::findOrStore(ImplicitLocOpBuilder &builder,
                                       ArrayRef<Value> values) {
  if (std::optional<PrivateArray> array = find(values))
    return *array;
  PrivateArray array(builder, values.front().getType(), int64_t(values.size()));
  for (auto [place, value] : llvm::enumerate(values))
    array.store(builder, value, arith::ConstantIndexOp::create(builder, place));
  return array;
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
