//===- Exchanges.cpp - Functions of a subgroup ----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges name the lanes that take part in a mask, and each lane of it has to come:
// it is that of the subgroup, or of those of its lanes that run.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Exchanges one word. Lanes outside of the subgroup are not asked, whatever the lane.
static Value createWordShuffle(ImplicitLocOpBuilder &builder, KernelShape shape,
                               Value mask, NVVM::ShflKind kind, Value word,
                               Value operand) {
  int32_t lastLane = kind == NVVM::ShflKind::up ? 0 : KernelShape::kWarp - 1;
  int32_t part = (KernelShape::kWarp - shape.subgroupSize) << 8;
  return NVVM::ShflOp::create(builder, word.getType(), mask, word, operand,
                              createI32(builder, part | lastLane), kind,
                              /*return_value_and_is_valid=*/UnitAttr());
}

/// Exchanges a value of any integer or floating-point type, word by word.
static Value createShuffle(ImplicitLocOpBuilder &builder, KernelShape shape, Value mask,
                           NVVM::ShflKind kind, Value value, Value operand) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width), i32 = builder.getI32Type();
  if (!isa<IntegerType>(type))
    value = arith::BitcastOp::create(builder, bits, value);
  if (width < 32)
    value = arith::ExtUIOp::create(builder, i32, value);
  Value result;
  if (width <= 32) {
    result = createWordShuffle(builder, shape, mask, kind, value, operand);
  } else {
    Value distance = arith::ConstantOp::create(builder, IntegerAttr::get(bits, 32));
    Value high = arith::ShRUIOp::create(builder, value, distance);
    Value words[2] = {value, high};
    for (Value &word : words) {
      word = arith::TruncIOp::create(builder, i32, word);
      word = createWordShuffle(builder, shape, mask, kind, word, operand);
      word = arith::ExtUIOp::create(builder, bits, word);
    }
    high = arith::ShLIOp::create(builder, words[1], distance);
    result = arith::OrIOp::create(builder, high, words[0]);
  }
  if (width < 32)
    result = arith::TruncIOp::create(builder, bits, result);
  if (!isa<IntegerType>(type))
    result = arith::BitcastOp::create(builder, type, result);
  return result;
}

static NVVM::ShflKind convertMode(gpu::ShuffleMode mode) {
  switch (mode) {
  case gpu::ShuffleMode::IDX:
    return NVVM::ShflKind::idx;
  case gpu::ShuffleMode::XOR:
    return NVVM::ShflKind::bfly;
  case gpu::ShuffleMode::UP:
    return NVVM::ShflKind::up;
  case gpu::ShuffleMode::DOWN:
    return NVVM::ShflKind::down;
  }
  llvm_unreachable("all modes are covered");
}

namespace {

/// A function of a subgroup, and which of its lanes run it.
template <typename Op>
struct ExchangePattern : OpConversionPattern<Op> {
  ExchangePattern(const TypeConverter &converter, MLIRContext *context,
                  const LaneMasks &masks)
      : OpConversionPattern<Op>(converter, context), masks(masks) {}

protected:
  bool isOfAll(Op op) const { return !masks.contains(op); }

  Value getMask(Op op, ImplicitLocOpBuilder &builder, KernelShape shape,
                ConversionPatternRewriter &rewriter) const {
    return isOfAll(op) ? createMask(builder, shape)
                       : rewriter.getRemappedValue(masks.lookup(op));
  }

private:
  const LaneMasks &masks;
};

struct ShufflePattern final : ExchangePattern<gpu::ShuffleOp> {
  using ExchangePattern::ExchangePattern;

  LogicalResult matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    IntegerAttr width;
    if (!matchPattern(op.getWidth(), m_Constant(&width)))
      return op.emitError("expected the width to be the subgroup size, ")
             << shape->subgroupSize << ", got a value that is not constant";
    if (width.getInt() != shape->subgroupSize)
      return op.emitError("expected the width to be the subgroup size, ")
             << shape->subgroupSize << ", got " << width.getInt();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value mask = getMask(op, builder, *shape, rewriter);
    Value result = createShuffle(builder, *shape, mask, convertMode(op.getMode()),
                                 adaptor.getValue(), adaptor.getOffset());
    Value valid = op.getValid().use_empty()
                      ? arith::ConstantIntOp::create(builder, 1, 1).getResult()
                      : createIsValid(builder, *shape, op);
    rewriter.replaceOp(op, {result, valid});
    return success();
  }

private:
  /// Whether the lane that is asked is one of the subgroup.
  static Value createIsValid(ImplicitLocOpBuilder &builder, KernelShape shape,
                             gpu::ShuffleOp op) {
    Value lane = arith::IndexCastOp::create(builder, builder.getI32Type(),
                                            createLane(builder, shape));
    Value source = op.getOffset();
    if (op.getMode() == gpu::ShuffleMode::XOR)
      source = arith::XOrIOp::create(builder, lane, source);
    else if (op.getMode() == gpu::ShuffleMode::UP)
      source = arith::SubIOp::create(builder, lane, source);
    else if (op.getMode() == gpu::ShuffleMode::DOWN)
      source = arith::AddIOp::create(builder, lane, source);
    // A lane below 0 is a large unsigned number.
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, source,
                                 op.getWidth());
  }
};

/// A broadcast from a lane that is the same for all.
struct BroadcastPattern final : ExchangePattern<gpu::SubgroupBroadcastOp> {
  using ExchangePattern::ExchangePattern;

  LogicalResult matchAndRewrite(gpu::SubgroupBroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getBroadcastType() != gpu::BroadcastType::specific_lane)
      return rewriter.notifyMatchFailure(op, "expected the number of a lane");
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value mask = getMask(op, builder, *shape, rewriter);
    rewriter.replaceOp(op, createShuffle(builder, *shape, mask, NVVM::ShflKind::idx,
                                         adaptor.getSrc(), adaptor.getLane()));
    return success();
  }
};

/// Reductions of i32 in a whole warp are an instruction, all others a butterfly of
/// shuffles, which upstream only has for 32 bits, or a chain of the lanes that run.
struct ReducePattern final : ExchangePattern<gpu::SubgroupReduceOp> {
  using ExchangePattern::ExchangePattern;

  LogicalResult matchAndRewrite(gpu::SubgroupReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    if (op.getClusterSize())
      return rewriter.notifyMatchFailure(op, "expected a reduction of the subgroup");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value value = adaptor.getValue(), mask = getMask(op, builder, *shape, rewriter);
    std::optional<NVVM::ReduxKind> kind = getInstruction(op);
    if (kind && shape->subgroupSize == KernelShape::kWarp) {
      rewriter.replaceOpWithNewOp<NVVM::ReduxOp>(op, value.getType(), value, *kind,
                                                 mask, /*abs=*/false, /*nan=*/false);
      return success();
    }
    Value result = isOfAll(op)
                       ? reduceAll(builder, *shape, mask, op.getOp(), value)
                       : reduceRunning(builder, *shape, mask, op.getOp(), value);
    if (!result)
      return rewriter.notifyMatchFailure(op, "expected a sum, minimum or maximum");
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static std::optional<NVVM::ReduxKind> getInstruction(gpu::SubgroupReduceOp op) {
    if (!op.getType().isInteger(32))
      return std::nullopt;
    switch (op.getOp()) {
    case gpu::AllReduceOperation::ADD:
      return NVVM::ReduxKind::ADD;
    case gpu::AllReduceOperation::MINSI:
      return NVVM::ReduxKind::MIN;
    case gpu::AllReduceOperation::MAXSI:
      return NVVM::ReduxKind::MAX;
    default:
      return std::nullopt;
    }
  }

  static Value reduceAll(ImplicitLocOpBuilder &builder, KernelShape shape, Value mask,
                         gpu::AllReduceOperation operation, Value value) {
    for (int32_t distance = 1; value && distance < shape.subgroupSize; distance *= 2) {
      Value other = createShuffle(builder, shape, mask, NVVM::ShflKind::bfly, value,
                                  createI32(builder, distance));
      value = combine(builder, operation, value, other);
    }
    return value;
  }

  /// The last of some lanes; -1 if there are none.
  static Value createLast(ImplicitLocOpBuilder &builder, Value lanes) {
    Value above = math::CountLeadingZerosOp::create(builder, lanes);
    Value last = createI32(builder, KernelShape::kWarp - 1);
    return arith::SubIOp::create(builder, last, above);
  }

  /// A prefix sum by pointer doubling over the running lanes: each lane has the sum of
  /// some lanes up to it, and takes that of the lane before these in each step.
  static Value reduceRunning(ImplicitLocOpBuilder &builder, KernelShape shape,
                             Value mask, gpu::AllReduceOperation operation,
                             Value value) {
    Type i32 = builder.getI32Type();
    Value lane = NVVM::LaneIdOp::create(builder, i32);
    Value below = NVVM::LaneMaskLtOp::create(builder, i32);
    below = arith::AndIOp::create(builder, mask, below);
    Value before = createLast(builder, below), none = createI32(builder, 0);
    for (int32_t count = 1; count < shape.subgroupSize; count *= 2) {
      Value isFirst =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, before, none);
      Value source = arith::SelectOp::create(builder, isFirst, lane, before);
      Value other =
          createShuffle(builder, shape, mask, NVVM::ShflKind::idx, value, source);
      Value both = combine(builder, operation, other, value);
      if (!both)
        return {};
      value = arith::SelectOp::create(builder, isFirst, value, both);
      if (2 * count < shape.subgroupSize)
        before = createWordShuffle(builder, shape, mask, NVVM::ShflKind::idx, before,
                                   source);
    }
    return createShuffle(builder, shape, mask, NVVM::ShflKind::idx, value,
                         createLast(builder, mask));
  }

  static Value combine(ImplicitLocOpBuilder &builder, gpu::AllReduceOperation operation,
                       Value a, Value b) {
    switch (operation) {
    case gpu::AllReduceOperation::ADD:
      if (isa<FloatType>(a.getType()))
        return arith::AddFOp::create(builder, a, b);
      return arith::AddIOp::create(builder, a, b);
    case gpu::AllReduceOperation::MINSI:
      return arith::MinSIOp::create(builder, a, b);
    case gpu::AllReduceOperation::MAXSI:
      return arith::MaxSIOp::create(builder, a, b);
    case gpu::AllReduceOperation::MINNUMF:
      return arith::MinNumFOp::create(builder, a, b);
    case gpu::AllReduceOperation::MAXNUMF:
      return arith::MaxNumFOp::create(builder, a, b);
    default:
      return {};
    }
  }
};

} // namespace

void tinytc::populateNVVMExchangePatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          const LaneMasks &masks) {
  patterns.add<ShufflePattern, BroadcastPattern, ReducePattern>(
      converter, patterns.getContext(), masks);
}
