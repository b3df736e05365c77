//===- Execution.cpp - Builtins, barrier, subgroup operations -> gpu -------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// A builtin that is an index in the gpu dialect, cast to the builtin's type.
template <typename Op, typename Target>
struct BuiltinPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value value;
    if constexpr (std::is_same_v<Target, gpu::BlockIdOp> ||
                  std::is_same_v<Target, gpu::GridDimOp>)
      value = Target::create(rewriter, op.getLoc(), gpu::Dimension::x);
    else
      value = Target::create(rewriter, op.getLoc(), /*upper_bound=*/nullptr);
    if (!op.getType().isIndex())
      value = arith::IndexCastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct BarrierPattern final : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // gpu.barrier always fences; ours says which memory it needs fenced.
    SmallVector<Attribute> fences;
    if (op.getFenceGlobal())
      fences.push_back(AddressSpaceAttr::get(getContext(), AddressSpace::Global));
    if (op.getFenceLocal())
      fences.push_back(AddressSpaceAttr::get(getContext(), AddressSpace::Local));
    auto barrier = rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    setDiscardable<TinyTCDialect::FencesAttrHelper>(barrier,
                                                    rewriter.getArrayAttr(fences));
    return success();
  }
};

struct BroadcastPattern final : OpConversionPattern<SubgroupBroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubgroupBroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createBroadcast(builder, adaptor.getA(), adaptor.getLane()));
    return success();
  }
};

template <typename Op, GroupReduction reduction>
struct SubgroupPattern final : OpConversionPattern<Op> {
  SubgroupPattern(const LinalgTypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context),
        subgroupSize(converter.getSubgroupSize()) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SubgroupBuilder subgroup(builder, reduction, subgroupSize);
    rewriter.replaceOp(op, subgroup.emit(op.getMode(), adaptor.getA()));
    return success();
  }

  int32_t subgroupSize;
};

} // namespace

void tinytc::populateExecutionPatterns(const LinalgTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<BuiltinPattern<GroupIdOp, gpu::BlockIdOp>,
               BuiltinPattern<GroupSizeOp, gpu::GridDimOp>,
               BuiltinPattern<NumSubgroupsOp, gpu::NumSubgroupsOp>,
               BuiltinPattern<SubgroupSizeOp, gpu::SubgroupSizeOp>,
               BuiltinPattern<SubgroupIdOp, gpu::SubgroupIdOp>,
               BuiltinPattern<SubgroupLocalIdOp, gpu::LaneIdOp>, BarrierPattern,
               BroadcastPattern, SubgroupPattern<SubgroupAddOp, GroupReduction::Add>,
               SubgroupPattern<SubgroupMaxOp, GroupReduction::Max>,
               SubgroupPattern<SubgroupMinOp, GroupReduction::Min>>(
      converter, patterns.getContext());
}
