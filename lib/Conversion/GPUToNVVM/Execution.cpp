//===- Execution.cpp - Warps, their parts, barriers -----------------------===//
//
// A subgroup is a warp, or an aligned part of 8 or 16 lanes of one. Instructions that
// lanes take part in together name the lanes in a mask, and each lane of it has to
// come: parts of a warp may be elsewhere, so the mask is that of the subgroup or group.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

FailureOr<KernelShape> tinytc::getKernelShape(Operation *op) {
  auto kernel = isa<gpu::GPUFuncOp>(op) ? cast<gpu::GPUFuncOp>(op)
                                        : op->getParentOfType<gpu::GPUFuncOp>();
  IntegerAttr subgroupSize =
      kernel ? getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel)
             : IntegerAttr();
  std::optional<ArrayRef<int32_t>> block =
      kernel ? kernel.getKnownBlockSize() : std::nullopt;
  if (!subgroupSize || !block)
    return op->emitError("expected a kernel with a subgroup size and a known block "
                         "size, got one without");
  return KernelShape{(*block)[0], (*block)[1],
                     static_cast<int32_t>(subgroupSize.getInt()), (*block)[2]};
}

static Value createI32(ImplicitLocOpBuilder &builder, int32_t value) {
  return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
}

/// The lowest `count` lanes of a warp.
static int32_t getLowLanes(int32_t count) {
  return count >= KernelShape::kWarp ? -1
                                     : static_cast<int32_t>((uint32_t(1) << count) - 1);
}

/// The lanes of the aligned part of a warp, of `count` lanes, that the work-item is in,
/// as bits of the warp.
static Value createPart(ImplicitLocOpBuilder &builder, KernelShape shape,
                        int32_t count) {
  Value lanes = createI32(builder, getLowLanes(count));
  if (shape.getNumWorkItems() * shape.groups <= count || count >= KernelShape::kWarp)
    return lanes;
  Value lane = NVVM::LaneIdOp::create(builder, builder.getI32Type());
  Value first = arith::AndIOp::create(builder, lane, createI32(builder, -count));
  return arith::ShLIOp::create(builder, lanes, first);
}

/// The lanes of the subgroup, as bits of their warp.
static Value createMask(ImplicitLocOpBuilder &builder, KernelShape shape) {
  return createPart(builder, shape, shape.subgroupSize);
}

/// Exchanges one word. Lanes outside of the subgroup are not asked, whatever the lane.
static Value createWordShuffle(ImplicitLocOpBuilder &builder, KernelShape shape,
                               NVVM::ShflKind kind, Value word, Value operand) {
  int32_t lastLane = kind == NVVM::ShflKind::up ? 0 : KernelShape::kWarp - 1;
  int32_t part = (KernelShape::kWarp - shape.subgroupSize) << 8;
  return NVVM::ShflOp::create(builder, word.getType(), createMask(builder, shape), word,
                              operand, createI32(builder, part | lastLane), kind,
                              /*return_value_and_is_valid=*/UnitAttr());
}

/// Exchanges a value of any integer or floating-point type, word by word.
static Value createShuffle(ImplicitLocOpBuilder &builder, KernelShape shape,
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
    result = createWordShuffle(builder, shape, kind, value, operand);
  } else {
    Value distance = arith::ConstantOp::create(builder, IntegerAttr::get(bits, 32));
    Value high = arith::ShRUIOp::create(builder, value, distance);
    Value words[2] = {value, high};
    for (Value &word : words) {
      word = arith::TruncIOp::create(builder, i32, word);
      word = createWordShuffle(builder, shape, kind, word, operand);
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

/// The lane in its subgroup, which lies along x.
static Value createLane(ImplicitLocOpBuilder &builder, KernelShape shape) {
  Value x = gpu::ThreadIdOp::create(builder, gpu::Dimension::x);
  if (shape.width == shape.subgroupSize)
    return x;
  Value last = arith::ConstantIndexOp::create(builder, shape.subgroupSize - 1);
  return arith::AndIOp::create(builder, x, last);
}

namespace {

struct BarrierPattern final : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    // Both order the accesses of those who wait, to global and local memory.
    if (int32_t items = shape->getNumWorkItems(); items <= KernelShape::kWarp)
      rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(op,
                                                    createPart(builder, *shape, items));
    else
      rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

struct ShufflePattern final : OpConversionPattern<gpu::ShuffleOp> {
  using OpConversionPattern::OpConversionPattern;

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
    Value result = createShuffle(builder, *shape, convertMode(op.getMode()),
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
struct BroadcastPattern final : OpConversionPattern<gpu::SubgroupBroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::SubgroupBroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getBroadcastType() != gpu::BroadcastType::specific_lane)
      return rewriter.notifyMatchFailure(op, "expected the number of a lane");
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createShuffle(builder, *shape, NVVM::ShflKind::idx,
                                         adaptor.getSrc(), adaptor.getLane()));
    return success();
  }
};

/// Reductions of i32 are an instruction, all others a butterfly of shuffles, which
/// upstream only has for 32 bits.
struct ReducePattern final : OpConversionPattern<gpu::SubgroupReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::SubgroupReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    if (op.getClusterSize())
      return rewriter.notifyMatchFailure(op, "expected a reduction of the subgroup");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value value = adaptor.getValue();
    if (std::optional<NVVM::ReduxKind> kind = getInstruction(op)) {
      rewriter.replaceOpWithNewOp<NVVM::ReduxOp>(op, value.getType(), value, *kind,
                                                 createMask(builder, *shape),
                                                 /*abs=*/false, /*nan=*/false);
      return success();
    }
    for (int32_t distance = 1; distance < shape->subgroupSize; distance *= 2) {
      Value other = createShuffle(builder, *shape, NVVM::ShflKind::bfly, value,
                                  createI32(builder, distance));
      value = combine(builder, op.getOp(), value, other);
      if (!value)
        return rewriter.notifyMatchFailure(op, "expected a sum, minimum or maximum");
    }
    rewriter.replaceOp(op, value);
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

/// Ids and numbers that follow from the sizes of the kernel.
template <typename Op, Value (*create)(ImplicitLocOpBuilder &, KernelShape)>
struct IdPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, create(builder, *shape));
    return success();
  }
};

Value createSubgroupId(ImplicitLocOpBuilder &builder, KernelShape shape) {
  Value linear = gpu::ThreadIdOp::create(builder, gpu::Dimension::x);
  if (shape.height > 1) {
    Value y = gpu::ThreadIdOp::create(builder, gpu::Dimension::y);
    Value width = arith::ConstantIndexOp::create(builder, shape.width);
    Value before = arith::MulIOp::create(builder, y, width);
    linear = arith::AddIOp::create(builder, before, linear);
  }
  Value size = arith::ConstantIndexOp::create(builder, shape.subgroupSize);
  return arith::DivUIOp::create(builder, linear, size);
}

Value createNumSubgroups(ImplicitLocOpBuilder &builder, KernelShape shape) {
  return arith::ConstantIndexOp::create(
      builder, llvm::divideCeil(shape.getNumWorkItems(), shape.subgroupSize));
}

Value createSubgroupSize(ImplicitLocOpBuilder &builder, KernelShape shape) {
  return arith::ConstantIndexOp::create(builder, shape.subgroupSize);
}

/// LLVM compiles conditions on the lane rightly: nothing has to be hidden from it.
struct OpaqueIndexPattern final : OpConversionPattern<OpaqueIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(OpaqueIndexOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getIndex());
    return success();
  }
};

} // namespace

void tinytc::populateNVVMExecutionPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<BarrierPattern, ShufflePattern, BroadcastPattern, ReducePattern,
               IdPattern<gpu::LaneIdOp, createLane>,
               IdPattern<gpu::SubgroupIdOp, createSubgroupId>,
               IdPattern<gpu::NumSubgroupsOp, createNumSubgroups>,
               IdPattern<gpu::SubgroupSizeOp, createSubgroupSize>, OpaqueIndexPattern>(
      converter, patterns.getContext());
}
