//===- Memory.cpp - Tiles of global memory, in order ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Loads come after the last store, and stores after all loads and stores before them.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;
using tile::MemoryOrdering;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Value Lowering::joinTokens(ArrayRef<Value> tokens) {
  if (tokens.size() < 2)
    return tokens.empty() ? Value() : tokens.front();
  return tile::JoinTokensOp::create(builder, tile::TokenType::get(builder.getContext()),
                                    tokens);
}

Value Lowering::getOrder() {
  SmallVector<Value> tokens = reads;
  if (token)
    tokens.push_back(token);
  return joinTokens(tokens);
}

Value Lowering::getToken() {
  Value order = getOrder();
  if (!order)
    order =
        tile::MakeTokenOp::create(builder, tile::TokenType::get(builder.getContext()));
  return order;
}

void Lowering::setToken(Value after) {
  token = after;
  reads.clear();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static bool isComplex(const Memref &memref) {
  return isa<ComplexType>(memref.type.getElementType());
}

/// Complex numbers are pairs in one dimension more.
Value Lowering::createView(const Memref &memref, const Part &part) {
  bool hasPairs = isComplex(memref), isPadded = false;
  SmallVector<int64_t> shape, strides;
  SmallVector<int32_t> tileShape;
  Values dynamicShape, dynamicStrides;
  for (int64_t mode = memref.sizes.size() - 1; mode >= 0; --mode) {
    OpFoldResult size = memref.sizes[mode];
    OpFoldResult stride = memref.strides[mode];
    if (hasPairs)
      stride = multiply(stride, builder.getI64IntegerAttr(2));
    std::optional<int64_t> knownSize = getConstantIntValue(size);
    std::optional<int64_t> knownStride = getConstantIntValue(stride);
    // The stride of a single element is not used; it may be too large for a view.
    if (!knownSize)
      dynamicShape.push_back(toValue(size));
    if (!knownStride)
      dynamicStrides.push_back(toValue(stride));
    shape.push_back(knownSize.value_or(ShapedType::kDynamic));
    strides.push_back(knownStride.value_or(ShapedType::kDynamic));
    tileShape.push_back(part.sizes[mode]);
    isPadded |= !knownSize || *knownSize % part.sizes[mode] != 0;
  }
  if (hasPairs) {
    shape.push_back(2);
    strides.push_back(1);
    tileShape.push_back(2);
  }
  Type element = getTileElement(memref.type.getElementType());
  auto type = tile::TensorViewType::get(shape, element, strides);
  Value view = tile::MakeTensorViewOp::create(builder, type, memref.base, dynamicShape,
                                              dynamicStrides);
  auto dimensions = llvm::to_vector(llvm::seq<int32_t>(0, shape.size()));
  std::optional<tile::PaddingValue> padding;
  if (isPadded)
    padding = tile::PaddingValue::Zero;
  auto tiles = tile::PartitionViewType::get(tileShape, type, dimensions, padding);
  return tile::MakePartitionViewOp::create(builder, tiles, view);
}

Values Lowering::getViewIndex(const Memref &memref, const Part &part) {
  Values index;
  for (int64_t mode = part.sizes.size() - 1; mode >= 0; --mode)
    index.push_back(part.index[mode] ? part.index[mode] : createI32(0));
  if (isComplex(memref))
    index.push_back(createI32(0));
  return index;
}

Number Lowering::load(const Memref &memref, const Part &part) {
  if (memref.alloca)
    return loadLocal(memref, part);
  if (part.sizes.empty()) {
    Value pointer = memref.base;
    Number number{loadPointer(pointer), {}};
    if (isComplex(memref))
      number.im = loadPointer(
          tile::OffsetOp::create(builder, pointer.getType(), pointer, createIndex(1)));
    return number;
  }
  Value view = createView(memref, part);
  auto type = cast<tile::PartitionViewType>(view.getType()).getTileType();
  auto load = tile::LoadViewTkoOp::create(
      builder, type, tile::TokenType::get(builder.getContext()), MemoryOrdering::Weak,
      tile::MemoryScopeAttr(), view, getViewIndex(memref, part), token,
      DictionaryAttr());
  reads.push_back(load.getResultToken());
  if (!isComplex(memref))
    return {load.getTile(), {}};
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  auto getPart = [&](int64_t number) {
    Values index(shape.size() - 1, createI32(0));
    index.push_back(createI32(number));
    Value tile = tile::ExtractOp::create(builder, getTile(type.getElementType(), shape),
                                         load.getTile(), index);
    return reshape(tile, ArrayRef(shape).drop_back());
  };
  return {getPart(0), getPart(1)};
}

/// Pairs of real and imaginary parts, side by side.
static Value interleave(ImplicitLocOpBuilder &builder, Value re, Value im,
                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> pairs(shape);
  pairs.push_back(2);
  return tile::CatOp::create(builder, getTile(getElement(re), pairs), re, im,
                             shape.size());
}

void Lowering::store(const Memref &memref, const Part &part, Number number) {
  if (memref.alloca)
    return storeLocal(memref, number);
  if (part.sizes.empty()) {
    storePointer(memref.base, number.re);
    if (number.isComplex())
      storePointer(tile::OffsetOp::create(builder, memref.base.getType(), memref.base,
                                          createIndex(1)),
                   number.im);
    return;
  }
  Value view = createView(memref, part), value = number.re;
  if (number.isComplex()) {
    SmallVector<int64_t> shape(number.getType().getShape());
    shape.push_back(1);
    Value re = reshape(number.re, shape), im = reshape(number.im, shape);
    shape.pop_back();
    value = interleave(builder, re, im, shape);
  }
  auto store = tile::StoreViewTkoOp::create(
      builder, tile::TokenType::get(builder.getContext()), MemoryOrdering::Weak,
      tile::MemoryScopeAttr(), value, view, getViewIndex(memref, part), getOrder(),
      DictionaryAttr());
  setToken(store.getResultToken());
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

Value Lowering::loadPointer(Value pointer) {
  Type element = cast<tile::PointerType>(getElement(pointer)).getPointeeType();
  auto load = tile::LoadPtrTkoOp::create(
      builder, withElement(pointer, element),
      tile::TokenType::get(builder.getContext()), MemoryOrdering::Weak,
      tile::MemoryScopeAttr(), pointer, Value(), Value(), token, DictionaryAttr());
  reads.push_back(load.getResultToken());
  return load.getResult();
}

void Lowering::storePointer(Value pointer, Value value, Value mask, bool atomic) {
  tile::MemoryScopeAttr scope;
  if (atomic)
    scope = tile::MemoryScopeAttr::get(builder.getContext(), tile::MemoryScope::Device);
  auto store = tile::StorePtrTkoOp::create(
      builder, tile::TokenType::get(builder.getContext()),
      atomic ? MemoryOrdering::Relaxed : MemoryOrdering::Weak, scope, pointer, value,
      mask, getOrder(), DictionaryAttr());
  setToken(store.getResultToken());
}

Value Lowering::updatePointer(Value pointer, tile::AtomicMode mode, Value value,
                              Value mask) {
  auto update = tile::AtomicRMWTkoOp::create(
      builder, value.getType(), tile::TokenType::get(builder.getContext()),
      MemoryOrdering::Relaxed, tile::MemoryScope::Device, pointer, mode, value, mask,
      getOrder());
  setToken(update.getResultToken());
  return update.getResult();
}

Value Lowering::getPointer(const Memref &memref, ValueRange indices) {
  Value pointer = memref.base;
  for (auto [index, stride] : llvm::zip(indices, memref.strides)) {
    OpFoldResult distance = multiply(OpFoldResult(index), stride);
    if (isComplex(memref))
      distance = multiply(distance, builder.getI64IntegerAttr(2));
    pointer =
        tile::OffsetOp::create(builder, pointer.getType(), pointer, toValue(distance));
  }
  return pointer;
}

/// The places of a part along one mode, as i64.
static Value getPlaces(ImplicitLocOpBuilder &builder, int64_t size) {
  Type i64 = builder.getI64Type();
  return tile::IotaOp::create(builder, getTile(i64, {size}));
}

Value Lowering::getPointers(const Memref &memref, const Part &part, Value &mask) {
  SmallVector<int64_t> shape = reversed(part.sizes);
  Value pointers = broadcast(memref.base, shape);
  for (auto [mode, size] : llvm::enumerate(part.sizes)) {
    Value places = getPlaces(builder, size);
    if (part.index[mode]) {
      Value first = mulReal(convertReal(part.index[mode], builder.getI64Type()),
                            createIndex(size));
      places = addReal(places, broadcast(first, {size}));
    }
    SmallVector<int64_t> line(shape.size(), 1);
    line[shape.size() - 1 - mode] = size;
    OpFoldResult stride = memref.strides[mode];
    if (isComplex(memref))
      stride = multiply(stride, builder.getI64IntegerAttr(2));
    Value distance = mulReal(places, broadcast(toValue(stride), {size}));
    pointers = tile::OffsetOp::create(builder, pointers.getType(), pointers,
                                      broadcast(reshape(distance, line), shape));
    std::optional<int64_t> known = getConstantIntValue(memref.sizes[mode]);
    if (known && *known % size == 0)
      continue;
    Value inside = broadcast(getMask(part, mode, memref.sizes[mode]), shape);
    mask = mask ? Value(tile::AndIOp::create(builder, mask.getType(), mask, inside))
                : inside;
  }
  return pointers;
}

/// Which places of a part along a mode are less than a size, with one dimension for
/// each mode.
Value Lowering::getMask(const Part &part, unsigned mode, OpFoldResult size) {
  int64_t count = part.sizes[mode];
  Value places = getPlaces(builder, count);
  if (part.index[mode]) {
    Value first = mulReal(convertReal(part.index[mode], builder.getI64Type()),
                          createIndex(count));
    places = addReal(places, broadcast(first, {count}));
  }
  Value mask = compare(tile::ComparisonPredicate::LessThan, places,
                       broadcast(toValue(size), {count}));
  SmallVector<int64_t> line(part.sizes.size(), 1);
  line[part.sizes.size() - 1 - mode] = count;
  return reshape(mask, line);
}

static Value getImaginary(ImplicitLocOpBuilder &builder, Value pointers, Value one) {
  return tile::OffsetOp::create(builder, pointers.getType(), pointers, one);
}

void Lowering::storeAtomic(const Memref &memref, const Part &part, Number number) {
  Value mask, pointers = getPointers(memref, part, mask);
  storePointer(pointers, number.re, mask, /*atomic=*/true);
  if (!number.isComplex())
    return;
  Value one = broadcast(createIndex(1), number.getType().getShape());
  storePointer(getImaginary(builder, pointers, one), number.im, mask, /*atomic=*/true);
}

void Lowering::addAtomic(const Memref &memref, const Part &part, Number number) {
  auto mode = isa<FloatType>(getElement(number.re)) ? tile::AtomicMode::AddF
                                                    : tile::AtomicMode::Add;
  Value mask, pointers = getPointers(memref, part, mask);
  updatePointer(pointers, mode, number.re, mask);
  if (!number.isComplex())
    return;
  Value one = broadcast(createIndex(1), number.getType().getShape());
  updatePointer(getImaginary(builder, pointers, one), mode, number.im, mask);
}
