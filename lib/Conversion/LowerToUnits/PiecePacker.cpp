//===- PiecePacker.cpp - Pieces of factors of unknown sizes ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/PiecePacker.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/MatrixUnit.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

PiecePacker::PiecePacker(ImplicitLocOpBuilder &builder, const ProductOperand &factor,
                         bool linesAreRows, const Packing &packing)
    : builder(builder), linesAreRows(linesAreRows), packing(packing),
      memory(factor.getMemory(builder)),
      lineStride(memory.strides[linesAreRows ? 0 : 1]),
      stepStride(memory.strides[linesAreRows ? 1 : 0]),
      numLines(factor.getSize(linesAreRows ? 0 : 1)),
      numSteps(factor.getSize(linesAreRows ? 1 : 0)) {}

Value PiecePacker::getPlace(Value line, Value k) {
  Value first =
      createIndexAdd(builder, memory.first, createIndexMul(builder, line, lineStride));
  return createIndexAdd(builder, first, createIndexMul(builder, k, stepStride));
}

Value PiecePacker::load(Value place) {
  return memref::LoadOp::create(builder, memory.elements, place);
}

Value PiecePacker::loadIf(Value condition, Value place) {
  Value element = load(place);
  Value zero = ScalarBuilder(builder).constant(element.getType(), 0);
  return arith::SelectOp::create(builder, condition, element, zero);
}

Value PiecePacker::countRest(Value index, OpFoldResult size, int64_t atMost) {
  Value rest = arith::SubIOp::create(builder, toValue(builder, size), index);
  rest = createIndexMin(builder, rest, createIndex(builder, atMost));
  return arith::IndexCastOp::create(builder, builder.getI32Type(), rest);
}

Value PiecePacker::isWithin(int64_t index, Value rest) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                               createI32(builder, index), rest);
}

Value PiecePacker::advance(Value place, OpFoldResult stride, Value isInside) {
  Value distance = toValue(builder, stride);
  if (isInside)
    distance =
        arith::SelectOp::create(builder, isInside, distance, createIndex(builder, 0));
  return arith::AddIOp::create(builder, place, distance);
}

SmallVector<Value> PiecePacker::walk(Value place, OpFoldResult stride, int64_t count,
                                     Value rest) {
  std::optional<int64_t> known = getConstantIntValue(stride);
  SmallVector<Value> places{place};
  for (int64_t i = 1; i < count; ++i) {
    if (known && !rest)
      places.push_back(
          createIndexAdd(builder, place, builder.getIndexAttr(i * *known)));
    else
      places.push_back(
          advance(places.back(), stride, rest ? isWithin(i, rest) : Value()));
  }
  return places;
}

SmallVector<Value> PiecePacker::loadLine(Value line, Value k, bool isEnd) {
  Value last = arith::SubIOp::create(builder, toValue(builder, numLines),
                                     createIndex(builder, 1));
  line =
      createIndexMin(builder, arith::AddIOp::create(builder, line, packing.lane), last);
  Value place = getPlace(line, k);
  Value rest = isEnd ? countRest(k, numSteps, packing.depth) : Value();
  SmallVector<Value> elements;
  for (auto [i, each] : llvm::enumerate(walk(place, stepStride, packing.depth, rest)))
    elements.push_back(isEnd ? loadIf(isWithin(i, rest), each) : load(each));
  return elements;
}

SmallVector<Value> PiecePacker::loadLines(Value line, Value k, bool isEnd) {
  Value ownSteps =
      arith::MulIOp::create(builder, packing.lane, createIndex(builder, getLength()));
  Value first = arith::AddIOp::create(builder, k, ownSteps);
  Value rest, restOfLines;
  if (isEnd) {
    rest = countRest(first, numSteps, getLength());
    restOfLines = countRest(line, numLines, kMaxUnitColumns);
    first = arith::SelectOp::create(builder, isWithin(0, rest), first,
                                    createIndex(builder, 0));
  }
  SmallVector<Value> elements(packing.depth);
  auto read = [&](int64_t i, int64_t j, Value place) {
    elements[i * getLength() + j] =
        isEnd ? loadIf(isWithin(j, rest), place) : load(place);
  };
  Value place = getPlace(line, first);
  // Elements side by side in memory have one address and constant distances.
  if (!isConstantIntValue(stepStride, 1)) {
    for (auto [j, begin] : llvm::enumerate(walk(place, stepStride, getLength(), rest)))
      for (auto [i, each] :
           llvm::enumerate(walk(begin, lineStride, kMaxUnitColumns, restOfLines)))
        read(i, j, each);
    return elements;
  }
  for (auto [i, begin] :
       llvm::enumerate(walk(place, lineStride, kMaxUnitColumns, restOfLines)))
    for (auto [j, each] : llvm::enumerate(walk(begin, stepStride, getLength(), rest)))
      read(i, j, each);
  return elements;
}

void PiecePacker::packPiece(const PackedPart &part, Value block, Value line, Value step,
                            bool isEnd) {
  Value k =
      arith::MulIOp::create(builder, arith::AddIOp::create(builder, part.step, step),
                            createIndex(builder, packing.depth));
  SmallVector<Value> elements =
      linesAreRows ? loadLine(line, k, isEnd) : loadLines(line, k, isEnd);
  auto scaleAndAdd = [&](Value index, int64_t by, Value other) -> Value {
    Value product = arith::MulIOp::create(builder, index, createIndex(builder, by));
    return arith::AddIOp::create(builder, product, other);
  };
  Value piece = scaleAndAdd(scaleAndAdd(step, part.numLines / packing.lanes, block),
                            packing.lanes, packing.lane);
  Value begin = scaleAndAdd(piece, packing.depth, createIndex(builder, part.place));
  for (auto [i, element] : llvm::enumerate(elements))
    memref::StoreOp::create(builder, element, packing.memory,
                            createIndexAdd(builder, begin, builder.getIndexAttr(i)));
}

/// The largest divisor of `count` that does not exceed `limit`.
static int64_t getLargestDivisor(int64_t count, int64_t limit) {
  int64_t divisor = std::min(count, limit);
  while (count % divisor != 0)
    --divisor;
  return divisor;
}

scf::ForOp PiecePacker::enterLoop(Value lower, Value upper, int64_t step) {
  auto loop = scf::ForOp::create(builder, lower, upper, createIndex(builder, step));
  setUnroll(loop, false);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

void PiecePacker::pack(const PackedPart &part) {
  OpBuilder::InsertionGuard guard(builder);
  const int64_t numBlocks = part.numLines / packing.lanes;
  // Subgroups that have different blocks, and those that share a block's steps.
  const int64_t sideBySide = getLargestDivisor(packing.numSubgroups, numBlocks);
  Value by = createIndex(builder, sideBySide);
  Value firstBlock = arith::RemUIOp::create(builder, packing.subgroup, by);
  Value firstStep = arith::DivUIOp::create(builder, packing.subgroup, by);
  Value lanes = createIndex(builder, packing.lanes);
  Value rest = arith::SubIOp::create(builder, toValue(builder, numLines), part.line);
  rest = createIndexMin(builder, rest, createIndex(builder, part.numLines));
  Value used =
      arith::AddIOp::create(builder, rest, createIndex(builder, packing.lanes - 1));
  used = arith::DivUIOp::create(builder, used, lanes);
  Value block = enterLoop(firstBlock, used, sideBySide).getInductionVar();
  Value inPart = arith::MulIOp::create(builder, block, lanes);
  Value line = arith::AddIOp::create(builder, part.line, inPart);
  Value isWhole;
  if (!linesAreRows)
    isWhole = createIsBelow(
        builder, inPart,
        arith::SubIOp::create(builder, rest, createIndex(builder, packing.lanes - 1))
            .getResult());
  Value step = enterLoop(firstStep, part.count, packing.numSubgroups / sideBySide)
                   .getInductionVar();
  Value isFull = createIsBelow(builder, step, part.numFull);
  if (isWhole)
    isFull = arith::AndIOp::create(builder, isFull, isWhole);
  auto branch = scf::IfOp::create(builder, isFull, /*withElseRegion=*/true);
  for (bool isEnd : {false, true}) {
    builder.setInsertionPointToStart(isEnd ? branch.elseBlock() : branch.thenBlock());
    packPiece(part, block, line, step, isEnd);
  }
}
