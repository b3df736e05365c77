//===- Transpose.cpp - Distribution of transposed copies ------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A source that is contiguous along the columns of the destination is read in square
// blocks, with a line per register and an element per lane. The lanes then exchange
// elements with the partner whose number differs in one bit, one bit after the other,
// and end up with lines of the destination. Between more lanes than can exchange
// elements in registers, each lane reads its own line, two elements at a time, which
// become one load, unless the op is only a copy (CopyTransposed.cpp). What remains
// after the last block goes element by element or, if it can be written twice, with a
// block that overlaps the one before it.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/ModuleTarget.h"
#include "lib/Builders/Indices.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether lanes can exchange elements in registers.
static bool canExchange(const WorkGroup &group) {
  return group.getSubgroupSize() <= group.getMachine().vectors.maxExchangingLanes;
}

bool tinytc::isFirstModeContiguous(Value memref) {
  return cast<MemRefType>(memref.getType()).getStridesAndOffset().first.front() == 1;
}

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

int64_t tinytc::getTransposedColumns(const WorkGroup &group) {
  return canExchange(group) ? group.getSubgroupSize() : 2;
}

std::optional<unsigned> tinytc::findTransposedInput(linalg::GenericOp op,
                                                    const WorkGroup &group,
                                                    TargetAttr target) {
  const Machine &machine = getMachine(target);
  bool isOneVector =
      group.getNumSubgroups() == 1 && llvm::isPowerOf2_32(group.getSubgroupSize());
  if (!machine.vectors.transposesByLanes || !isOneVector || op.getNumLoops() != 2)
    return std::nullopt;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    auto type = dyn_cast<MemRefType>(op->getOperand(i).getType());
    AffineMap map = op.getIndexingMapsArray()[i];
    if (!type || !map.isPermutation() || map.isIdentity())
      continue;
    Type element = type.getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 32)
      continue;
    int64_t bytes = group.getSubgroupSize() * getSizeBytes(element);
    if (bytes <= machine.registerBytes &&
        (canExchange(group) ||
         (machine.vectors.gathersPairs && isFirstModeContiguous(op->getOperand(i)))))
      return i;
  }
  return std::nullopt;
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
                                  linalg::GenericOp op, unsigned input,
                                  ArrayRef<OpFoldResult> upper) {
  int64_t size = group.getSubgroupSize(), numColumns = getTransposedColumns(group);
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
  if (canExchange(group)) {
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
