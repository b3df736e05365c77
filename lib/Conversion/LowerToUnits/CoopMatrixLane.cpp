//===- CoopMatrixLane.cpp - What one work-item holds of a matrix ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::createBoth(ImplicitLocOpBuilder &builder, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, a, b);
}

static Value createIsBelowSize(ImplicitLocOpBuilder &builder, Value index,
                               int64_t size) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, index,
                               createIndex(builder, size));
}

CoopMatrixLane::CoopMatrixLane(ImplicitLocOpBuilder &builder, CoopMatrixLayout layout,
                               int64_t neighbours)
    : builder(builder), layout(layout), neighbours(neighbours) {
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  Value blockRows = createIndex(builder, layout.blockRows);
  bool isOneBeside = layout.sideBySide == 1;
  rowInBlock =
      isOneBeside ? lane : arith::RemUIOp::create(builder, lane, blockRows).getResult();
  firstColumn = isOneBeside
                    ? createIndex(builder, 0)
                    : arith::DivUIOp::create(builder, lane, blockRows).getResult();
  if (neighbours > 1)
    rowInBlock =
        arith::MulIOp::create(builder, rowInBlock, createIndex(builder, neighbours));
}

Value CoopMatrixLane::sum(Value a, Value b) {
  return a ? arith::AddIOp::create(builder, a, b).getResult() : b;
}

Value CoopMatrixLane::getRow(int64_t block, Value begin) {
  Value row = rowInBlock;
  int64_t neighbour = block % neighbours;
  int64_t first = (block - neighbour) * layout.blockRows + neighbour;
  if (first != 0)
    row = sum(row, createIndex(builder, first));
  return sum(begin, row);
}

Value CoopMatrixLane::getColumn(int64_t step, Value begin) {
  if (layout.sideBySide == 1) {
    if (begin && step == 0)
      return begin;
    return sum(begin, createIndex(builder, step));
  }
  Value column = firstColumn;
  if (step != 0)
    column = sum(column, createIndex(builder, step * layout.sideBySide));
  return sum(begin, column);
}

Value CoopMatrixLane::getRow(Value block) {
  if (neighbours > 1) {
    Value count = createIndex(builder, neighbours);
    Value neighbour = arith::RemUIOp::create(builder, block, count);
    block = arith::SubIOp::create(builder, block, neighbour);
    return sum(neighbour, getRowOfBlock(block));
  }
  return getRowOfBlock(block);
}

Value CoopMatrixLane::getRowOfBlock(Value block) {
  Value first =
      arith::MulIOp::create(builder, block, createIndex(builder, layout.blockRows));
  return sum(rowInBlock, first);
}

Value CoopMatrixLane::getColumn(Value step) {
  Value first =
      arith::MulIOp::create(builder, step, createIndex(builder, layout.sideBySide));
  return sum(firstColumn, first);
}

Value CoopMatrixLane::isRow(int64_t block) {
  if (!layout.mayBeBelow(block))
    return {};
  return createIsBelowSize(builder, getRow(block), layout.type.getRows());
}

Value CoopMatrixLane::isColumn(int64_t step) {
  if (!layout.mayBeBeside(step))
    return {};
  return createIsBelowSize(builder, getColumn(step), layout.type.getColumns());
}

Value CoopMatrixLane::isComponent(int64_t position) {
  Value isInRow = isRow(layout.getBlock(position));
  return createBoth(builder, isInRow, isColumn(layout.getStep(position)));
}

Value CoopMatrixLane::isComponent(Value block, Value step) {
  Value condition;
  if (layout.mayBeBelow(layout.rowBlocks - 1))
    condition = createIsBelowSize(builder, getRow(block), layout.type.getRows());
  if (layout.mayBeBeside(layout.steps - 1))
    condition = createBoth(
        builder, condition,
        createIsBelowSize(builder, getColumn(step), layout.type.getColumns()));
  return condition;
}

Value tinytc::createSafeDivisor(ImplicitLocOpBuilder &builder, Value isComponent,
                                Value divisor) {
  if (!isComponent)
    return divisor;
  Value one = ScalarBuilder(builder).constant(divisor.getType(), 1);
  return arith::SelectOp::create(builder, isComponent, divisor, one);
}
