//===- Transpose.cpp - Distribution of transposed copies ------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A source that is contiguous along the columns of the destination is read in square
// blocks, with a line per register and an element per lane. The lanes then exchange
// elements with the partner whose number differs in one bit, one bit after the other,
// and end up with lines of the destination. Or each lane reads its own line, two
// elements at a time, which become one load. What remains after the last block goes
// element by element or, if it can be written twice, with a block that overlaps the one
// before it.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::enterBlocks(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                          int64_t lower, OpFoldResult upper, int64_t size) {
  auto loop = group.createLoop(builder, builder.getIndexAttr(lower), upper, size);
  builder.setInsertionPointToStart(loop.getBody());
  std::optional<int64_t> known = getConstantIntValue(upper);
  if (!known || (*known - lower) % size == 0)
    return loop.getInductionVar();
  return createIndexMin(builder, loop.getInductionVar(),
                        createIndex(builder, *known - size));
}

int64_t tinytc::getTransposedColumns(const WorkGroup &group, const Strategy &strategy) {
  return strategy.kind == StrategyKind::LaneTranspose ? group.getSubgroupSize() : 2;
}

/// Transposes a square of elements: lane i has the i-th element of each of `lines`, and
/// afterwards the i-th line.
static SmallVector<Value> exchange(ImplicitLocOpBuilder &builder,
                                   SmallVector<Value> lines, Value lane) {
  Type i32 = builder.getI32Type();
  int64_t count = lines.size();
  Value number = arith::IndexCastOp::create(builder, i32, lane);
  for (int64_t bit = 1; bit < count; bit *= 2) {
    Value mask = createI32(builder, bit);
    Value isSet = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                                        arith::AndIOp::create(builder, number, mask),
                                        createI32(builder, 0));
    for (int64_t i = 0; i < count; ++i) {
      if (i & bit)
        continue;
      Value &low = lines[i], &high = lines[i + bit];
      Value given = arith::SelectOp::create(builder, isSet, low, high);
      Value taken =
          gpu::ShuffleOp::create(builder, given, mask, createI32(builder, count),
                                 gpu::ShuffleMode::XOR)
              .getShuffleResult();
      low = arith::SelectOp::create(builder, isSet, taken, low);
      high = arith::SelectOp::create(builder, isSet, high, taken);
    }
  }
  return lines;
}

void tinytc::distributeTransposed(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                                  linalg::GenericOp op, const Strategy &strategy,
                                  ArrayRef<OpFoldResult> upper) {
  int64_t size = group.getSubgroupSize();
  int64_t numColumns = getTransposedColumns(group, strategy);
  unsigned input = strategy.operand;
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  OpBuilder::InsertionGuard guard(builder);
  // Line by line of the source, so that the rest of a cache line is used.
  Value row = enterBlocks(builder, group, 0, upper[0], size);
  Value column = enterBlocks(builder, group, 0, upper[1], numColumns);
  auto at = [&](Value base, int64_t i) {
    return createIndexAdd(builder, base, builder.getIndexAttr(i));
  };
  SmallVector<Value> lines;
  Value laneRow;
  if (strategy.kind == StrategyKind::LaneTranspose) {
    Value laneColumn = createIndexAdd(builder, column, lane);
    for (int64_t i = 0; i < size; ++i)
      lines.push_back(loadElement(builder, op, input, {at(row, i), laneColumn}));
    lines = exchange(builder, lines, lane);
    laneRow = createIndexAdd(builder, row, lane);
  } else {
    laneRow = createIndexAdd(builder, row, lane);
    for (int64_t i = 0; i < numColumns; ++i)
      lines.push_back(loadElement(builder, op, input, {laneRow, at(column, i)}));
  }
  SmallVector<Value> elements(op.getNumDpsInputs());
  for (int64_t i = 0; i < numColumns; ++i) {
    elements[input] = lines[i];
    emitElement(builder, op, {laneRow, at(column, i)}, elements);
  }
}
