//===- Execution.cpp - Warps, their parts, barriers -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A subgroup is a warp, or an aligned part of 8 or 16 lanes of one. Instructions that
// lanes take part in together name the lanes in a mask, and each lane of it has to
// come: parts of a warp may be elsewhere, so the mask is that of the subgroup or group.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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

Value tinytc::createMask(ImplicitLocOpBuilder &builder, KernelShape shape) {
  return createPart(builder, shape, shape.subgroupSize);
}

Value tinytc::createLane(ImplicitLocOpBuilder &builder, KernelShape shape) {
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
  patterns.add<BarrierPattern, IdPattern<gpu::LaneIdOp, createLane>,
               IdPattern<gpu::SubgroupIdOp, createSubgroupId>,
               IdPattern<gpu::NumSubgroupsOp, createNumSubgroups>,
               IdPattern<gpu::SubgroupSizeOp, createSubgroupSize>, OpaqueIndexPattern>(
      converter, patterns.getContext());
}
