//===- Memory.cpp - alloca, load, store -> memref -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/LocalMemory.h"
#include "lib/Builders/LocalView.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/Stores.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// An alloca is a view of the one buffer of local memory, at the offset chosen for it.
struct AllocaPattern final : OpConversionPattern<AllocaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocaOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<LocalRange> range = getLocalRange(op);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value memory;
    if (range)
      memory = createLocalView(builder, op, *range, op.getType().getElementType());
    if (!memory)
      return rewriter.notifyMatchFailure(op, "expected a place in a kernel's buffer");
    auto type = cast<MemRefType>(LinalgTypeConverter::getParameterType(op.getType()));
    Value view = memref::ReinterpretCastOp::create(
        builder, type, memory, /*offset=*/int64_t(0), op.getType().getShape(),
        op.getType().getStride());
    rewriter.replaceOpWithNewOp<memref::CastOp>(
        op, LinalgTypeConverter::getViewType(op.getType()), view);
    return success();
  }
};

struct LifetimeStopPattern final : OpConversionPattern<LifetimeStopOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LifetimeStopOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssociatedPattern final : OpConversionPattern<AssociatedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AssociatedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(
        rewriter, op.getLoc(), adaptor.getSource());
    Value null = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne, pointer,
                                               null);
    return success();
  }
};

struct LoadPattern final : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value element = memref::LoadOp::create(rewriter, op.getLoc(), adaptor.getSource(),
                                           adaptor.getIndices());
    if (auto memref = dyn_cast<MemrefType>(op.getType()))
      element = memref::CastOp::create(
          rewriter, op.getLoc(), LinalgTypeConverter::getViewType(memref), element);
    rewriter.replaceOp(op, element);
    return success();
  }
};

struct StorePattern final : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    createStore(builder, op.getFlag(), adaptor.getValue(), adaptor.getDest(),
                adaptor.getIndices());
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename Op>
struct AtomicPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using OpAdaptor = typename OpConversionPattern<Op>::OpAdaptor;

  LogicalResult matchAndRewrite(Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value value, memref;
    if constexpr (std::is_same_v<Op, AtomicLoadOp>) {
      memref = adaptor.getSource();
    } else {
      value = adaptor.getValue();
      memref = adaptor.getDest();
    }
    Value before =
        createAtomic(builder, op.getAtomicKind(), {op.getScope(), op.getSemantics()},
                     value, memref, adaptor.getIndices());
    if (before)
      rewriter.replaceOp(op, before);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tinytc::populateMemoryPatterns(const LinalgTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<AllocaPattern, AssociatedPattern, LifetimeStopPattern, LoadPattern,
               StorePattern, AtomicPattern<AtomicLoadOp>, AtomicPattern<AtomicStoreOp>,
               AtomicPattern<AtomicAddOp>, AtomicPattern<AtomicMinOp>,
               AtomicPattern<AtomicMaxOp>>(converter, patterns.getContext());
}
