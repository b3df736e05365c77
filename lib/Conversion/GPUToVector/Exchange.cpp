//===- Exchange.cpp - Values that lanes exchange --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A subgroup is the vector or an aligned part of it. An exchange that is known is a
// shuffle of the vector; any other goes through memory.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

Value Vectorizer::permute(Value vector, function_ref<int64_t(int64_t)> source) {
  SmallVector<int64_t> sources;
  for (int64_t lane = 0; lane < group.getNumLanes(); ++lane)
    sources.push_back(source(lane));
  return vector::ShuffleOp::create(builder, vector, vector, sources);
}

Value Vectorizer::permute(Value vector, Value sources) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  Type stored = getMemoryType(element);
  uint32_t bytes = llvm::divideCeil(stored.getIntOrFloatBitWidth(), 8);
  if (!exchanged)
    exchanged =
        createAlloca(builder.getI64Type(), group.getNumLanes(), /*alignment=*/64);
  LLVM::StoreOp::create(builder, toMemory(builder, vector), exchanged, bytes);
  Value pointers = addOffset(element, {LaneShape::uniform(), exchanged},
                             {LaneShape::varying(), sources})
                       .value;
  // Lanes that are switched off may hold anything, which is no place to read from.
  VectorType type = vectorOf(stored);
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  Value result = LLVM::masked_gather::create(builder, type, pointers, getMask(),
                                             ValueRange(zero), bytes);
  return fromMemory(builder, result, element);
}

/// The identity element; none for operations that no kernel has.
static TypedAttr getIdentity(Builder &builder, gpu::AllReduceOperation operation,
                             Type type) {
  using Operation = gpu::AllReduceOperation;
  if (operation == Operation::ADD)
    return builder.getZeroAttr(type);
  bool isMax = operation == Operation::MAXSI || operation == Operation::MAXNUMF;
  if (!isMax && operation != Operation::MINSI && operation != Operation::MINNUMF)
    return {};
  // The extremum of a number and NaN is the number.
  if (auto real = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getQNaN(real.getFloatSemantics()));
  unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, isMax ? APInt::getSignedMinValue(width)
                                      : APInt::getSignedMaxValue(width));
}

/// The extremum of all lanes, in steps, of which there is one for each power of two.
/// LLVM compares one lane after the other, since lanes may be NaN.
Value Vectorizer::reduceHalves(vector::CombiningKind kind, Value value) {
  for (int64_t size = group.getNumLanes() / 2; size > 0; size /= 2) {
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq(size));
    SmallVector<int64_t> high = llvm::to_vector(llvm::seq(size, 2 * size));
    Value a = vector::ShuffleOp::create(builder, value, value, low);
    Value b = vector::ShuffleOp::create(builder, value, value, high);
    value = vector::makeArithReduction(builder, builder.getLoc(), kind, a, b);
  }
  return vector::ExtractOp::create(builder, value, 0);
}

LogicalResult Vectorizer::emitReduce(gpu::SubgroupReduceOp op) {
  if (op.getClusterSize() || isa<VectorType>(op.getType()))
    return refuse(op);
  TypedAttr identity = getIdentity(builder, op.getOp(), op.getType());
  if (!identity)
    return refuse(op);
  if (group.getNumLanes() == 1) {
    define(op.getResult(), get(op.getValue()).value);
    return success();
  }
  vector::CombiningKind kind = gpu::convertReductionKind(op.getOp());
  Value value = toVector(get(op.getValue()));
  if (mask) // the others may be the rest of the last subgroup of a grid
    value = select(mask, value,
                   splat(arith::ConstantOp::create(builder, identity).getResult()));
  bool isExtremum =
      kind == vector::CombiningKind::MAXNUMF || kind == vector::CombiningKind::MINNUMF;
  if (group.isOneSubgroup() && isExtremum) {
    define(op.getResult(), reduceHalves(kind, value));
    return success();
  }
  if (group.isOneSubgroup()) {
    // In any order.
    auto flags = arith::FastMathFlags::none;
    if (isa<FloatType>(op.getType()))
      flags = arith::FastMathFlags::reassoc;
    define(op.getResult(),
           vector::ReductionOp::create(builder, kind, value, flags).getResult());
    return success();
  }
  for (int64_t distance = 1; distance < group.subgroupSize; distance *= 2) {
    Value other = permute(value, [&](int64_t lane) { return lane ^ distance; });
    value = vector::makeArithReduction(builder, op.getLoc(), kind, value, other);
  }
  define(op.getResult(), value);
  return success();
}

LogicalResult Vectorizer::emitShuffle(gpu::ShuffleOp op) {
  APInt width;
  bool isKnown = matchPattern(op.getWidth(), m_ConstantInt(&width));
  if (!isKnown || width.getSExtValue() != group.subgroupSize)
    return op.emitError("expected a shuffle of the whole subgroup, of width ")
           << group.subgroupSize << ", got width "
           << (isKnown ? std::to_string(width.getSExtValue()) : "unknown");
  if (group.getNumLanes() == 1) {
    Value offset = get(op.getOffset()).value;
    Value zero = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(0));
    define(op.getShuffleResult(), get(op.getValue()).value);
    define(op.getValid(),
           arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, offset, zero)
               .getResult());
    return success();
  }
  int64_t size = group.subgroupSize;
  bool isSame = !shapes.get(op.getShuffleResult()).isVarying;
  if (APInt offset; matchPattern(op.getOffset(), m_ConstantInt(&offset))) {
    auto source = [&](int64_t lane) {
      int64_t own = lane % size, distance = offset.getSExtValue();
      switch (op.getMode()) {
      case gpu::ShuffleMode::XOR:
        return own ^ distance;
      case gpu::ShuffleMode::UP:
        return own - distance;
      case gpu::ShuffleMode::DOWN:
        return own + distance;
      case gpu::ShuffleMode::IDX:
        return distance;
      }
      llvm_unreachable("all modes are covered");
    };
    auto isValid = [&](int64_t lane) {
      return source(lane) >= 0 && source(lane) < size;
    };
    auto place = [&](int64_t lane) {
      return isValid(lane) ? lane - lane % size + source(lane) : lane;
    };
    define(op.getValid(), constantMask(isValid));
    define(op.getShuffleResult(), isSame
                                      ? get(op.getValue()).value
                                      : permute(toVector(get(op.getValue())), place));
    return success();
  }
  Type i32 = builder.getI32Type();
  Value own = constantLanes(i32, [&](int64_t lane) { return lane % size; });
  Value first = constantLanes(i32, [&](int64_t lane) { return lane - lane % size; });
  Value source = toVector(get(op.getOffset()));
  if (op.getMode() == gpu::ShuffleMode::XOR)
    source = arith::XOrIOp::create(builder, own, source);
  else if (op.getMode() == gpu::ShuffleMode::UP)
    source = arith::SubIOp::create(builder, own, source);
  else if (op.getMode() == gpu::ShuffleMode::DOWN)
    source = arith::AddIOp::create(builder, own, source);
  Value end = constantLanes(i32, [&](int64_t) { return size; });
  // A lane below 0 is a large unsigned number.
  Value valid = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, source, end);
  define(op.getValid(), valid);
  source = arith::AddIOp::create(builder, first, select(valid, source, own));
  define(op.getShuffleResult(), isSame ? get(op.getValue()).value
                                       : permute(toVector(get(op.getValue())), source));
  return success();
}

LogicalResult Vectorizer::emitBroadcast(gpu::SubgroupBroadcastOp op) {
  if (op.getBroadcastType() != gpu::BroadcastType::specific_lane)
    return refuse(op);
  Lanes value = get(op.getSrc()), lane = get(op.getLane());
  if (group.getNumLanes() == 1 || value.shape.isUniform()) {
    define(op.getResult(), value.value);
    return success();
  }
  Value vector = toVector(value);
  Type index = builder.getIndexType();
  if (group.isOneSubgroup() && lane.shape.isUniform()) {
    Value place = castIndex(builder, lane.value, index);
    define(op.getResult(), extractLane(vector, place));
    return success();
  }
  int64_t size = group.subgroupSize;
  if (APInt number; matchPattern(op.getLane(), m_ConstantInt(&number))) {
    define(op.getResult(), permute(vector, [&](int64_t own) {
             return own - own % size + number.getSExtValue();
           }));
    return success();
  }
  Value first = constantLanes(index, [&](int64_t own) { return own - own % size; });
  Value place = castIndex(builder, toVector(lane), index);
  define(op.getResult(),
         permute(vector, arith::AddIOp::create(builder, first, place).getResult()));
  return success();
}

LogicalResult Vectorizer::emitExchange(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::SubgroupReduceOp reduce) { return emitReduce(reduce); })
      .Case([&](gpu::ShuffleOp shuffle) { return emitShuffle(shuffle); })
      .Case(
          [&](gpu::SubgroupBroadcastOp broadcast) { return emitBroadcast(broadcast); })
      .Default([](Operation *other) { return refuse(other); });
}
