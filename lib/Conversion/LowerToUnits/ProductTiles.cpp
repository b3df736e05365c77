//===- ProductTiles.cpp - Products by tiles of subgroups ------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements of a tile outside of the matrices are read from the last row or column
// and never written; along the summed mode it is zero.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LowerToUnits/ProductTiles.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/Stores.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

ProductOperand::ProductOperand(ImplicitLocOpBuilder &builder, Value memref,
                               bool transposed)
    : memref(memref), transposed(transposed),
      sizes(memref::getMixedSizes(builder, builder.getLoc(), memref)) {}

Value ProductOperand::load(ImplicitLocOpBuilder &builder, Value row,
                           Value column) const {
  SmallVector<Value, 2> indices{row, column};
  if (transposed)
    std::swap(indices[0], indices[1]);
  return memref::LoadOp::create(builder, memref, indices);
}

MatrixMemory ProductOperand::getMemory(ImplicitLocOpBuilder &builder) const {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  MemRefType type = getType();
  auto linear =
      MemRefType::get(ShapedType::kDynamic, type.getElementType(),
                      StridedLayoutAttr::get(type.getContext(), /*offset=*/0, {1}),
                      type.getMemorySpace());
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  OpFoldResult size =
      toValue(builder, createIndexMul(builder, metadata.getSizes()[1], strides[1]));
  Value elements = memref::ReinterpretCastOp::create(
      builder, linear, metadata.getBaseBuffer(), zero, size, one);
  return {elements,
          toValue(builder, metadata.getConstifiedMixedOffset()),
          {strides[transposed], strides[!transposed]}};
}

OpFoldResult ProductTiles::countTiles(OpFoldResult size, int64_t tile) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return builder.getIndexAttr(llvm::divideCeil(*known, tile));
  Value rounded = add(toValue(builder, size), tile - 1);
  return arith::DivUIOp::create(builder, rounded, createIndex(builder, tile))
      .getResult();
}

void ProductTiles::emitTiles(int64_t tileRows, int64_t tileColumns,
                             function_ref<void(Value row, Value column)> emit) {
  OpFoldResult perMode = countTiles(rows, tileRows);
  OpFoldResult count =
      createIndexMul(builder, perMode, countTiles(columns, tileColumns));
  Value id = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
  OpBuilder::InsertionGuard guard(builder);
  std::optional<int64_t> known = getConstantIntValue(count);
  if (!known || *known > numSubgroups) {
    auto loop = scf::ForOp::create(builder, id, toValue(builder, count),
                                   createIndex(builder, numSubgroups));
    setUnroll(loop, false);
    builder.setInsertionPointToStart(loop.getBody());
    id = loop.getInductionVar();
  } else if (*known < numSubgroups) {
    auto branch = scf::IfOp::create(builder, createIsBelow(builder, id, count));
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  Value perColumn = toValue(builder, perMode);
  Value row = arith::RemUIOp::create(builder, id, perColumn);
  Value column = arith::DivUIOp::create(builder, id, perColumn);
  row = arith::MulIOp::create(builder, row, createIndex(builder, tileRows));
  column = arith::MulIOp::create(builder, column, createIndex(builder, tileColumns));
  emit(row, column);
}

scf::ForOp ProductTiles::emitSteps(Value lower, Value upper, int64_t step,
                                   MutableArrayRef<Value> sums,
                                   function_ref<void(Value)> emit) {
  auto loop = scf::ForOp::create(builder, lower, upper, createIndex(builder, step),
                                 ValueRange(sums));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  llvm::copy(loop.getRegionIterArgs(), sums.begin());
  emit(loop.getInductionVar());
  scf::YieldOp::create(builder, ValueRange(sums));
  llvm::copy(loop.getResults(), sums.begin());
  return loop;
}

bool ProductTiles::mayOverhang(OpFoldResult size, int64_t tile) {
  std::optional<int64_t> known = getConstantIntValue(size);
  return !known || *known % tile != 0;
}

Value ProductTiles::add(Value index, int64_t i) {
  return i == 0 ? index
                : arith::AddIOp::create(builder, index, createIndex(builder, i))
                      .getResult();
}

Bounded ProductTiles::clamp(Value index, OpFoldResult size) {
  Value isInside = createIsBelow(builder, index, size);
  Value last =
      arith::SubIOp::create(builder, toValue(builder, size), createIndex(builder, 1));
  return {arith::SelectOp::create(builder, isInside, index, last), isInside};
}

Value ProductTiles::mask(Value element, Value isInside) {
  if (!isInside)
    return element;
  Value zero = ScalarBuilder(builder).constant(element.getType(), 0);
  return arith::SelectOp::create(builder, isInside, element, zero);
}

void ProductTiles::enterIfNeeded(Value index, OpFoldResult size, int64_t tile) {
  if (!mayOverhang(size, tile))
    return;
  auto branch = scf::IfOp::create(builder, createIsBelow(builder, index, size));
  builder.setInsertionPointToStart(branch.thenBlock());
}

Value ProductTiles::createElement(Value sum, Value dest, ValueRange indices) {
  Value old;
  if (!update.isBetaZero)
    old = memref::LoadOp::create(builder, dest, indices);
  return update.emit(builder, sum, old);
}

void ProductTiles::storeElement(Value sum, Value dest, ValueRange indices) {
  if (update.atomic)
    return createStore(builder, update.getFlag(), update.emitScaled(builder, sum), dest,
                       indices);
  Value element = createElement(sum, dest, indices);
  memref::StoreOp::create(builder, element, dest, indices);
}

void ProductTiles::storeRun(Value row, Value column, ArrayRef<Value> sums,
                            int64_t tileRows) {
  OpBuilder::InsertionGuard guard(builder);
  std::optional<int64_t> known = getConstantIntValue(rows);
  bool isWhole = known && *known % int64_t(sums.size()) == 0;
  if (isWhole)
    enterIfNeeded(row, rows, tileRows);
  if (isWhole && !update.atomic) {
    SmallVector<Value> elements;
    for (auto [i, sum] : llvm::enumerate(sums))
      elements.push_back(createElement(sum, update.dest, {add(row, i), column}));
    for (auto [i, element] : llvm::enumerate(elements))
      memref::StoreOp::create(builder, element, update.dest,
                              ValueRange{add(row, i), column});
    return;
  }
  for (auto [i, sum] : llvm::enumerate(sums)) {
    OpBuilder::InsertionGuard rowGuard(builder);
    Value place = add(row, i);
    if (!isWhole)
      enterIfNeeded(place, rows, tileRows);
    storeElement(sum, update.dest, {place, column});
  }
}
