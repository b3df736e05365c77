//===- SharedOperand.cpp - Elements that all rows of a tile share ---------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/DistributeLinalg/SharedOperand.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The type of at least 32 bits in which lanes hold elements of `type`.
static Type getWordType(Type type) {
  if (type.isInteger() && type.getIntOrFloatBitWidth() < 32)
    return IntegerType::get(type.getContext(), 32);
  return getComputeType(type);
}

SharedOperand::SharedOperand(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                             unsigned input, const WorkGroup &group)
    : op(op), input(input), lanes(group.getSubgroupSize()) {
  AffineExpr first = op.getIndexingMapsArray()[input].getResult(0);
  isAlongSum = cast<AffineDimExpr>(first).getPosition() == op.getNumLoops() - 1;
  lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
}

bool SharedOperand::isContiguous(int64_t inner) const {
  auto type = cast<MemRefType>(op->getOperand(input).getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  return strides.front() == 1 && strides.back() == inner;
}

std::pair<Value, Value> SharedOperand::getStart(ImplicitLocOpBuilder &builder,
                                                int64_t load) const {
  if (layout->isSingle())
    return {createIndex(builder, 0), createIndex(builder, 0)};
  // Everything here is the same for all blocks.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(lane);
  Type i32 = builder.getI32Type(), index = builder.getIndexType();
  Value number = arith::IndexCastOp::create(builder, i32, lane);
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(builder, index, value);
  };
  auto startAt = [&](Value offset, int64_t first, int64_t count, int64_t end) {
    Value start = createIndexAdd(builder, offset, builder.getIndexAttr(first));
    bool isInside = first + count <= end;
    return isInside ? start
                    : createIndexMin(builder, start, createIndex(builder, end - 1));
  };
  int64_t lanesPerLine = layout->lanesPerLine, perLane = layout->perLane;
  Value along =
      arith::RemUIOp::create(builder, number, createI32(builder, lanesPerLine));
  along = arith::MulIOp::create(builder, along, createI32(builder, perLane));
  int64_t piece = lanesPerLine * perLane;
  Value inner = startAt(toIndex(along), load % layout->loadsPerLine * piece,
                        piece - perLane + 1, layout->inner - perLane + 1);
  if (layout->linesPerLoad == 1)
    return {inner, createIndex(builder, load / layout->loadsPerLine)};
  Value across =
      arith::DivUIOp::create(builder, number, createI32(builder, lanesPerLine));
  return {inner,
          startAt(toIndex(across), load / layout->loadsPerLine * layout->linesPerLoad,
                  layout->linesPerLoad, layout->outer)};
}

void SharedOperand::load(ImplicitLocOpBuilder &builder, Value first, int64_t steps,
                         ArrayRef<TileColumn> columns) {
  auto type = cast<MemRefType>(op->getOperand(input).getType());
  int64_t numColumns = type.getRank() == 1 ? 1 : columns.size();
  lineSize = isAlongSum ? steps : numColumns;
  int64_t numLines = isAlongSum ? numColumns : steps;
  isOneLine = numLines == 1 || isContiguous(lineSize);
  Type word = getWordType(type.getElementType());
  layout.emplace(isOneLine ? lineSize * numLines : lineSize, isOneLine ? 1 : numLines,
                 getSizeBytes(word), lanes);
  Value column = columns.front().index;
  Value innerBase = isAlongSum ? first : column,
        outerBase = isAlongSum ? column : first;
  held.clear();
  elements.clear();
  for (int64_t load = 0; load < layout->getNumLoads(); ++load) {
    auto [inner, outer] = getStart(builder, load);
    for (int64_t i = 0; i < layout->perLane; ++i) {
      Value start = createIndexAdd(builder, inner, innerBase);
      SmallVector<Value> indices{
          createIndexAdd(builder, start, builder.getIndexAttr(i)),
          createIndexAdd(builder, outer, outerBase)};
      indices.resize(type.getRank());
      Value element = memref::LoadOp::create(builder, op->getOperand(input), indices);
      held.push_back(ScalarBuilder(builder).cast(element, word));
    }
  }
}

Value SharedOperand::getWord(ImplicitLocOpBuilder &builder, int64_t step,
                             int64_t column) {
  if (cast<MemRefType>(op->getOperand(input).getType()).getRank() == 1)
    column = 0;
  Value &element = elements[{step, column}];
  if (element)
    return element;
  int64_t i = isAlongSum ? step : column, o = isAlongSum ? column : step;
  if (isOneLine) {
    i += o * lineSize;
    o = 0;
  }
  LaneLayout::Place place = layout->locate(i, o);
  element = held[place.load * layout->perLane + place.component];
  if (!layout->isSingle())
    element = createBroadcast(builder, element, createI32(builder, place.lane));
  return element;
}

Value SharedOperand::cloneBody(ImplicitLocOpBuilder &builder, int64_t step,
                               int64_t column, ValueRange others) {
  Block *body = op.getBody();
  BlockArgument argument = body->getArgument(input);
  Value word = getWord(builder, step, column);
  ScalarBuilder scalars(builder);
  IRMapping mapping;
  for (auto [other, value] : llvm::zip(body->getArguments(), others))
    if (other != argument)
      mapping.map(other, value);
  for (Operation &nested : body->without_terminator()) {
    bool isUse = llvm::is_contained(nested.getOperands(), argument);
    // Conversions that the word already had.
    if (isUse && isa<arith::ExtFOp, arith::ExtSIOp>(nested)) {
      Value result = nested.getResult(0);
      mapping.map(result, scalars.cast(word, result.getType()));
      continue;
    }
    if (isUse && !mapping.contains(argument))
      mapping.map(argument, scalars.cast(word, argument.getType()));
    builder.clone(nested, mapping);
  }
  return mapping.lookup(body->getTerminator()->getOperand(0));
}

void tinytc::emitBlockedSumLoop(
    ImplicitLocOpBuilder &builder, const WorkGroup &group, OpFoldResult length,
    int64_t steps, SmallVectorImpl<Value> &sums,
    function_ref<void(ImplicitLocOpBuilder &, Value, int64_t)> emitBlock) {
  auto emitLoop = [&](OpFoldResult lower, OpFoldResult upper, int64_t count) {
    if (isEmptyRange(lower, upper))
      return;
    auto loop = group.createLoop(builder, lower, upper, count, sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), sums.begin());
    emitBlock(builder, loop.getInductionVar(), count);
    scf::YieldOp::create(builder, sums);
    llvm::copy(loop.getResults(), sums.begin());
  };
  OpFoldResult zero = builder.getIndexAttr(0);
  std::optional<int64_t> known = getConstantIntValue(length);
  if (!known) {
    OpFoldResult looped = roundDown(builder, length, steps);
    emitLoop(zero, looped, steps);
    return emitLoop(looped, length, 1);
  }
  int64_t looped = *known >= 2 * steps ? *known / steps * steps : 0;
  emitLoop(zero, builder.getIndexAttr(looped), steps);
  for (int64_t first = looped; first < *known; first += steps)
    emitBlock(builder, createIndex(builder, first), std::min(steps, *known - first));
}
