//===- Execution.cpp - Builtins, barrier, subgroup operations -> gpu -------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

gpu::Dimension getGpuDimension(Dimension dimension) {
  switch (dimension) {
  case Dimension::X:
    return gpu::Dimension::x;
  case Dimension::Y:
    return gpu::Dimension::y;
  case Dimension::Z:
    return gpu::Dimension::z;
  }
  llvm_unreachable("all dimensions are covered");
}

/// A builtin that is an index in the gpu dialect, cast to the builtin's type.
template <typename Op, typename Target>
struct BuiltinPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value value;
    if constexpr (std::is_same_v<Target, gpu::BlockIdOp> ||
                  std::is_same_v<Target, gpu::GridDimOp>)
      value = Target::create(rewriter, op.getLoc(), getGpuDimension(op.getDimension()));
    else
      value = Target::create(rewriter, op.getLoc(), /*upper_bound=*/nullptr);
    if (!op.getType().isIndex())
      value = arith::IndexCastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// The subgroups of a work-group in x, y and z: they lie along the first mode.
using SubgroupGrid = std::array<int64_t, 3>;

struct NumSubgroupsPattern final : OpConversionPattern<NumSubgroupsOp> {
  NumSubgroupsPattern(const TypeConverter &converter, MLIRContext *context,
                      SubgroupGrid grid)
      : OpConversionPattern(converter, context, /*benefit=*/2), grid(grid) {}

  LogicalResult matchAndRewrite(NumSubgroupsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Dimension> dimension = op.getDimension();
    if (!dimension)
      return rewriter.notifyMatchFailure(op, "expected a dimension");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, IntegerAttr::get(op.getType(), grid[unsigned(*dimension)]));
    return success();
  }

  SubgroupGrid grid;
};

/// The index of the subgroup is x + y X with X subgroups in x.
struct SubgroupIdPattern final : OpConversionPattern<SubgroupIdOp> {
  SubgroupIdPattern(const TypeConverter &converter, MLIRContext *context,
                    SubgroupGrid grid)
      : OpConversionPattern(converter, context, /*benefit=*/2), grid(grid) {}

  LogicalResult matchAndRewrite(SubgroupIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Dimension> dimension = op.getDimension();
    if (!dimension)
      return rewriter.notifyMatchFailure(op, "expected a dimension");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, value);
    };
    Value id = constant(0);
    if (grid[unsigned(*dimension)] > 1) {
      id = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
      if (*dimension == Dimension::Y && grid[0] > 1)
        id = arith::DivUIOp::create(builder, id, constant(grid[0]));
      else if (*dimension == Dimension::X && grid[1] > 1)
        id = arith::RemUIOp::create(builder, id, constant(grid[0]));
    }
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, op.getType(), id);
    return success();
  }

  SubgroupGrid grid;
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
                                       RewritePatternSet &patterns,
                                       ArrayRef<int32_t> workGroupSize) {
  SubgroupGrid grid{workGroupSize[0] / converter.getSubgroupSize(), workGroupSize[1],
                    1};
  MLIRContext *context = patterns.getContext();
  patterns.add<NumSubgroupsPattern, SubgroupIdPattern>(converter, context, grid);
  patterns.add<BuiltinPattern<GroupIdOp, gpu::BlockIdOp>,
               BuiltinPattern<GroupSizeOp, gpu::GridDimOp>,
               BuiltinPattern<NumSubgroupsOp, gpu::NumSubgroupsOp>,
               BuiltinPattern<SubgroupSizeOp, gpu::SubgroupSizeOp>,
               BuiltinPattern<SubgroupIdOp, gpu::SubgroupIdOp>,
               BuiltinPattern<SubgroupLocalIdOp, gpu::LaneIdOp>, BarrierPattern,
               BroadcastPattern, SubgroupPattern<SubgroupAddOp, GroupReduction::Add>,
               SubgroupPattern<SubgroupMaxOp, GroupReduction::Max>,
               SubgroupPattern<SubgroupMinOp, GroupReduction::Min>>(converter, context);
}
