//===- TileProducts.cpp - Products on tile registers ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/TileUnit.h"
#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

static constexpr int64_t kWordBytes = 4;
/// Tiles of a sum of known length that are multiplied without a loop.
static constexpr int64_t kMostWithoutLoop = 4;

LogicalResult Vectorizer::emitTileProduct(TileProductOp op) {
  if (mask)
    return refuse(op);
  std::unique_ptr<TileUnit> unit = tiles.unit == TileRegisters::AMX
                                       ? createAmxUnit(builder, op)
                                       : createMatrixUnit(builder, op);
  Type i64 = builder.getI64Type();
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, a, b);
  };
  auto multiply = [&](Value a, Value b) -> Value {
    return arith::MulIOp::create(builder, a, b);
  };
  auto pointTo = [&](Value memref, Value index) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    return addOffset(element, get(memref), {LaneShape::uniform(), index}).value;
  };
  auto countBytes = [&](Value stride) {
    Value bytes =
        arith::ConstantOp::create(builder, builder.getI64IntegerAttr(kWordBytes));
    return multiply(castIndex(builder, stride, i64), bytes);
  };
  Value strideA = get(op.getStrideA()).value, strideB = get(op.getStrideB()).value,
        strideC = get(op.getStrideC()).value, offset = get(op.getOffset()).value;
  SmallVector<Value> rows, columns;
  for (Value row : op.getRows())
    rows.push_back(get(row).value);
  for (Value column : op.getColumns())
    columns.push_back(get(column).value);
  auto forEachTile = [&](auto body) {
    for (size_t column : llvm::seq(columns.size()))
      for (size_t row : llvm::seq(rows.size()))
        body(row, column);
  };

  Value bytesA = countBytes(strideA), bytesB = countBytes(strideB),
        bytesC = countBytes(strideC);
  SmallVector<Value> places;
  SmallVector<TileUnit::Tile> sums;
  forEachTile([&](size_t row, size_t column) {
    places.push_back(pointTo(
        op.getC(), add(add(offset, rows[row]), multiply(columns[column], strideC))));
    sums.push_back(op.getAccumulate()
                       ? unit->loadSums(row, column, places.back(), bytesC)
                       : unit->createZeros(row, column));
  });

  auto emitStep = [&](Value word) {
    Value step = multiply(word, strideA);
    SmallVector<TileUnit::Tile> seconds;
    TileUnit::Tile first;
    forEachTile([&](size_t row, size_t column) {
      if (row == 0)
        first = unit->loadFirst(
            column, pointTo(op.getB(), add(multiply(columns[column], strideB), word)),
            bytesB);
      if (column == 0)
        seconds.push_back(
            unit->loadSecond(row, pointTo(op.getA(), add(rows[row], step)), bytesA));
      TileUnit::Tile &sum = sums[column * rows.size() + row];
      sum = unit->multiply(sum, first, seconds[row]);
    });
  };
  APInt known;
  const int64_t words = op.getTile()[2];
  if (matchPattern(op.getSteps(), m_ConstantInt(&known)) &&
      known.sle(kMostWithoutLoop * words)) {
    for (int64_t word = 0; word < known.getSExtValue(); word += words)
      emitStep(constantIndex(word));
  } else {
    auto join = [&] {
      SmallVector<Value> values;
      if (unit->hasValues())
        for (const TileUnit::Tile &sum : sums)
          llvm::append_range(values, sum);
      return values;
    };
    auto spread = [&](ValueRange values) {
      if (unit->hasValues())
        for (TileUnit::Tile &sum : sums) {
          llvm::copy(values.take_front(sum.size()), sum.begin());
          values = values.drop_front(sum.size());
        }
    };
    auto loop = scf::ForOp::create(builder, constantIndex(0), get(op.getSteps()).value,
                                   constantIndex(words), join());
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      spread(loop.getRegionIterArgs());
      emitStep(loop.getInductionVar());
      if (unit->hasValues())
        scf::YieldOp::create(builder, join());
    }
    spread(loop.getResults());
  }

  for (auto [sum, place] : llvm::zip_equal(sums, places))
    unit->storeSums(sum, place, bytesC);
  return success();
}
