//===- MatrixUnitTiles.cpp - Tiles of C on the matrix unit ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/MatrixUnitTiles.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/ScalarBuilder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

MatrixUnitTiles::MatrixUnitTiles(ImplicitLocOpBuilder &builder, const ProductOperand &a,
                                 const ProductOperand &b, const Update &update,
                                 const Machine &machine, int64_t numSubgroups)
    : ProductTiles(builder, a, b, update, numSubgroups), lanes(machine.unit.lanes),
      type(a.getType().getElementType()),
      sumType(getMatrixUnitSumType(type, type, update.getType().getElementType(),
                                   /*allowTF32=*/true)),
      depth(getMatrixUnitDepth(type)),
      lane(gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr)) {}

SmallVector<Value> MatrixUnitTiles::createSums() {
  Value zero = ScalarBuilder(builder).constant(sumType, 0);
  return SmallVector<Value>(tile.rowBlocks * tile.columns, zero);
}

void MatrixUnitTiles::emitSteps(Value lower, Value upper, MutableArrayRef<Value> sums,
                                function_ref<void(Value)> emit) {
  setUnroll(ProductTiles::emitSteps(lower, upper, depth, sums, emit), false);
}

CoopMatrixProduct MatrixUnitTiles::getProduct() const {
  auto layout = [&](int64_t numRows, int64_t numColumns, Type element, MatrixUse use) {
    return CoopMatrixLayout(CoopMatrixType::get(numRows, numColumns, element, use),
                            lanes);
  };
  int64_t tileRows = tile.rowBlocks * lanes;
  return {layout(tileRows, depth, type, MatrixUse::A),
          layout(depth, tile.columns, type, MatrixUse::B),
          layout(tileRows, tile.columns, sumType, MatrixUse::Acc)};
}

void MatrixUnitTiles::store(Value row, Value column, int64_t checkedRows,
                            int64_t checkedColumns, ArrayRef<Value> sums) {
  CoopMatrixLayout layout = getProduct().c;
  for (int64_t block = 0; block < tile.rowBlocks; ++block) {
    OpBuilder::InsertionGuard guard(builder);
    Value index = arith::AddIOp::create(builder, add(row, block * lanes), lane);
    enterIfNeeded(index, rows, checkedRows);
    for (int64_t i = 0; i < tile.columns; ++i) {
      OpBuilder::InsertionGuard columnGuard(builder);
      Value place = add(column, i);
      enterIfNeeded(place, columns, checkedColumns);
      storeElement(sums[layout.getPosition(block, i)], update.dest, {index, place});
    }
  }
}
