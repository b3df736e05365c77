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

/// The elements of a constant memref in the order of memory.
DenseElementsAttr getStoredElements(ConstantOp op) {
  auto memref = cast<MemrefType>(op.getType());
  auto dense = cast<DenseElementsAttr>(op.getValue());
  auto type = RankedTensorType::get(dense.getNumElements(), dense.getElementType());
  if (dense.isSplat())
    return dense.resizeSplat(type);
  SmallVector<Attribute> stored(dense.getNumElements());
  SmallVector<int64_t> index(memref.getOrder(), 0);
  // The last index of a tensor runs first.
  for (Attribute element : dense.getValues<Attribute>()) {
    int64_t place = 0;
    for (auto [i, stride] : llvm::zip_equal(index, memref.getStride()))
      place += i * stride;
    stored[place] = element;
    for (int64_t mode = memref.getOrder() - 1; mode >= 0; --mode) {
      if (++index[mode] < memref.getShape()[mode])
        break;
      index[mode] = 0;
    }
  }
  return DenseElementsAttr::get(type, stored);
}

/// The global with these elements, which kernels share.
memref::GlobalOp getGlobal(OpBuilder &builder, ConstantOp op) {
  DenseElementsAttr elements = getStoredElements(op);
  auto module = op->getParentOfType<ModuleOp>();
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getInitialValueAttr() == elements)
      return global;
  auto isTaken = [&](StringRef name) {
    return SymbolTable::lookupSymbolIn(module, name) != nullptr;
  };
  unsigned counter = 0;
  auto name =
      SymbolTable::generateSymbolName<16>("__tinytc_constant", isTaken, counter);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto type = MemRefType::get(elements.getNumElements(), elements.getElementType());
  return memref::GlobalOp::create(
      builder, op.getLoc(), name, builder.getStringAttr("private"), type, elements,
      /*constant=*/true, builder.getI64IntegerAttr(kLocalMemoryAlignment));
}

struct ConstantMemrefPattern final : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemrefType>(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "expected a memref");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    memref::GlobalOp global = getGlobal(rewriter, op);
    Value memory =
        memref::GetGlobalOp::create(builder, global.getType(), global.getSymName());
    auto own = cast<MemRefType>(LinalgTypeConverter::getParameterType(type));
    Value view = memref::ReinterpretCastOp::create(
        builder, own, memory, /*offset=*/int64_t(0), type.getShape(), type.getStride());
    rewriter.replaceOpWithNewOp<memref::CastOp>(
        op, LinalgTypeConverter::getViewType(type), view);
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
  patterns
      .add<AllocaPattern, AssociatedPattern, ConstantMemrefPattern, LifetimeStopPattern,
           LoadPattern, StorePattern, AtomicPattern<AtomicLoadOp>,
           AtomicPattern<AtomicStoreOp>, AtomicPattern<AtomicAddOp>,
           AtomicPattern<AtomicMinOp>, AtomicPattern<AtomicMaxOp>>(
          converter, patterns.getContext());
}
