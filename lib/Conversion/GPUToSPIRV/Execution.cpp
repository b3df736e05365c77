//===- Execution.cpp - Barriers, shuffles, hints --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Which memory a barrier has to fence; both if it names none.
spirv::MemorySemantics getFences(gpu::BarrierOp op) {
  ArrayAttr fences = getDiscardable<TinyTCDialect::FencesAttrHelper>(op);
  auto semantics = spirv::MemorySemantics::None;
  auto fence = [&](AddressSpace space, spirv::MemorySemantics memory) {
    auto attr = AddressSpaceAttr::get(op.getContext(), space);
    if (!fences || llvm::is_contained(fences, attr))
      semantics = semantics | memory;
  };
  fence(AddressSpace::Global, spirv::MemorySemantics::CrossWorkgroupMemory);
  fence(AddressSpace::Local, spirv::MemorySemantics::WorkgroupMemory);
  if (semantics != spirv::MemorySemantics::None)
    semantics = semantics | spirv::MemorySemantics::SequentiallyConsistent;
  return semantics;
}

/// The work-items that have to wait: those of a subgroup, if it is the only one. That
/// costs nothing on the CPU, whose driver splits the kernel in two at a work-group
/// barrier.
spirv::Scope getScope(Operation *op) {
  spirv::EntryPointABIAttr abi = spirv::lookupEntryPointABI(op);
  if (!abi || !abi.getWorkgroupSize() || !abi.getSubgroupSize())
    return spirv::Scope::Workgroup;
  int64_t workItems = 1;
  for (int32_t size : abi.getWorkgroupSize().asArrayRef())
    workItems *= size;
  return workItems == *abi.getSubgroupSize() ? spirv::Scope::Subgroup
                                             : spirv::Scope::Workgroup;
}

struct BarrierPattern final : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    spirv::Scope scope = getScope(op);
    rewriter.replaceOpWithNewOp<spirv::ControlBarrierOp>(op, scope, scope,
                                                         getFences(op));
    return success();
  }
};

/// A broadcast from a lane that is the same for all.
struct BroadcastPattern final : OpConversionPattern<gpu::SubgroupBroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::SubgroupBroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getBroadcastType() != gpu::BroadcastType::specific_lane)
      return rewriter.notifyMatchFailure(op, "expected the number of a lane");
    rewriter.replaceOpWithNewOp<spirv::GroupBroadcastOp>(
        op, adaptor.getSrc().getType(), spirv::Scope::Subgroup, adaptor.getSrc(),
        adaptor.getLane());
    return success();
  }
};

/// Lowers all modes of gpu.shuffle to the instruction in which each lane chooses the
/// lane that it reads from: those for up and down need one more capability.
struct ShufflePattern final : OpConversionPattern<gpu::ShuffleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value valid = spirv::ConstantOp::getOne(builder.getI1Type(), op.getLoc(), builder);
    Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    lane = arith::IndexCastOp::create(builder, rewriter.getI32Type(), lane);
    Value source = createSource(builder, op, lane);
    bool isDistance =
        op.getMode() == gpu::ShuffleMode::UP || op.getMode() == gpu::ShuffleMode::DOWN;
    if (isDistance || !op.getValid().use_empty()) {
      // A lane below 0 is a large unsigned number.
      valid = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, source,
                                    op.getWidth());
      source = arith::SelectOp::create(builder, valid, source, lane);
    }
    Value result = spirv::GroupNonUniformShuffleOp::create(
        builder, adaptor.getValue().getType(), spirv::Scope::Subgroup,
        adaptor.getValue(), source);
    rewriter.replaceOp(op, {result, valid});
    return success();
  }

private:
  /// The lane whose value `lane` gets.
  static Value createSource(ImplicitLocOpBuilder &builder, gpu::ShuffleOp op,
                            Value lane) {
    switch (op.getMode()) {
    case gpu::ShuffleMode::IDX:
      return op.getOffset();
    case gpu::ShuffleMode::XOR:
      return arith::XOrIOp::create(builder, lane, op.getOffset());
    case gpu::ShuffleMode::UP:
      return arith::SubIOp::create(builder, lane, op.getOffset());
    case gpu::ShuffleMode::DOWN:
      return arith::AddIOp::create(builder, lane, op.getOffset());
    }
    llvm_unreachable("all modes are covered");
  }
};

/// An extremum of numbers is one of integers in their order: drivers differ in what
/// they make of NaN, and SPIR-V does not say what that of NaN alone is. The bits of a
/// negative number but its sign are flipped; NaN is the integer that loses.
struct ExtremumPattern final : OpConversionPattern<gpu::SubgroupReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::SubgroupReduceOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool isMax = op.getOp() == gpu::AllReduceOperation::MAXNUMF;
    if (!isMax && op.getOp() != gpu::AllReduceOperation::MINNUMF)
      return rewriter.notifyMatchFailure(op, "expected an extremum of numbers");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    unsigned width = op.getType().getIntOrFloatBitWidth();
    Type type = builder.getIntegerType(width);
    auto constant = [&](const APInt &value) -> Value {
      return arith::ConstantOp::create(builder, builder.getIntegerAttr(type, value));
    };
    APInt largest = APInt::getSignedMaxValue(width), least = ~largest;
    auto flip = [&](Value bits) -> Value {
      Value isNegative = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, bits,
                                               constant(APInt::getZero(width)));
      Value flipped = arith::XOrIOp::create(builder, bits, constant(largest));
      return arith::SelectOp::create(builder, isNegative, flipped, bits);
    };
    Value number = op.getValue();
    Value isNaN =
        arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, number, number);
    Value order = flip(arith::BitcastOp::create(builder, type, number));
    order = arith::SelectOp::create(builder, isNaN, constant(isMax ? least : largest),
                                    order);
    auto operation =
        isMax ? gpu::AllReduceOperation::MAXSI : gpu::AllReduceOperation::MINSI;
    Value found =
        gpu::SubgroupReduceOp::create(builder, order, operation, op.getUniform());
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), flip(found));
    return success();
  }
};

/// Patterns of a driver come first, if it must not know what an index is.
struct OpaqueIndexPattern final : OpConversionPattern<OpaqueIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(OpaqueIndexOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getIndex());
    return success();
  }
};

/// The same for what only fetches lines into the cache.
struct PrefetchPattern final : OpConversionPattern<memref::PrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::PrefetchOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

LogicalResult tinytc::verifyShuffle(gpu::ShuffleOp op) {
  spirv::EntryPointABIAttr abi = spirv::lookupEntryPointABI(op);
  if (!abi || !abi.getSubgroupSize())
    return op.emitError("expected the kernel to have a subgroup size, got none");
  int32_t size = *abi.getSubgroupSize();
  IntegerAttr width;
  if (!matchPattern(op.getWidth(), m_Constant(&width)))
    return op.emitError("expected the width to be the subgroup size, ")
           << size << ", got a value that is not constant";
  if (width.getInt() != size)
    return op.emitError("expected the width to be the subgroup size, ")
           << size << ", got " << width.getInt();
  return success();
}

void tinytc::populateExecutionPatterns(const SPIRVTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<BarrierPattern, BroadcastPattern, ExtremumPattern, ShufflePattern>(
      converter, patterns.getContext(), /*benefit=*/2);
  patterns.add<OpaqueIndexPattern, PrefetchPattern>(converter, patterns.getContext());
}
