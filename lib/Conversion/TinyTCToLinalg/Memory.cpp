//===- Memory.cpp - alloca, load, store -> memref -------------------------===//

#include "lib/Conversion/TinyTCToLinalg/Patterns.h"
#include "lib/Conversion/TinyTCToLinalg/ScalarBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

void tinytc::createStore(OpBuilder &builder, Location loc, StoreFlag flag, Value value,
                         Value memref, ValueRange indices) {
  if (flag == StoreFlag::Regular) {
    memref::StoreOp::create(builder, loc, value, memref, indices);
    return;
  }
  Type type = value.getType();
  if (!isa<ComplexType, IndexType>(type)) {
    arith::AtomicRMWKind kind = arith::AtomicRMWKind::assign;
    if (flag == StoreFlag::AtomicAdd)
      kind = isa<FloatType>(type) ? arith::AtomicRMWKind::addf
                                  : arith::AtomicRMWKind::addi;
    memref::AtomicRMWOp::create(builder, loc, type, kind, value, memref, indices);
    return;
  }
  // memref.atomic_rmw takes neither complex values nor indices.
  auto op = memref::GenericAtomicRMWOp::create(builder, loc, memref, indices);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(op.getBody());
  if (flag == StoreFlag::AtomicAdd)
    value = ScalarBuilder(builder, loc).add(op.getCurrentValue(), value);
  memref::AtomicYieldOp::create(builder, loc, value);
}

namespace {

struct AllocaPattern final : OpConversionPattern<AllocaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AllocaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(LinalgTypeConverter::getParameterType(op.getType()));
    Value memory =
        memref::AllocOp::create(rewriter, op.getLoc(), type, op.getAlignmentAttr());
    rewriter.replaceOpWithNewOp<memref::CastOp>(
        op, LinalgTypeConverter::getViewType(op.getType()), memory);
    return success();
  }
};

struct LifetimeStopPattern final : OpConversionPattern<LifetimeStopOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LifetimeStopOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadPattern final : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value element = memref::LoadOp::create(rewriter, op.getLoc(), adaptor.getSource(),
                                           adaptor.getIndices());
    if (auto memref = dyn_cast<MemrefType>(op.getType()))
      element = memref::CastOp::create(rewriter, op.getLoc(),
                                       LinalgTypeConverter::getViewType(memref),
                                       element);
    rewriter.replaceOp(op, element);
    return success();
  }
};

struct StorePattern final : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createStore(rewriter, op.getLoc(), op.getFlag(), adaptor.getValue(),
                adaptor.getDest(), adaptor.getIndices());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tinytc::populateMemoryPatterns(const LinalgTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<AllocaPattern, LifetimeStopPattern, LoadPattern, StorePattern>(
      converter, patterns.getContext());
}
