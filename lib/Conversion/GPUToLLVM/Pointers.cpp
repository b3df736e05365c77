//===- Pointers.cpp - Memrefs as pointers ---------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// At the gpu stage each memref is a pointer to elements that one index counts.
// Upstream's conversion makes descriptors of them, and parameters that no kernel ABI
// has.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToLLVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

tinytc::PointerTypeConverter::PointerTypeConverter(AddressSpaces spaces)
    : spaces(spaces) {
  addConversion([](Type type) { return type; });
  addConversion([this](MemRefType type) -> Type { return getPointerType(type); });
}

LLVM::LLVMPointerType
tinytc::PointerTypeConverter::getPointerType(MemRefType type) const {
  auto attr = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  auto space = attr ? attr.getValue() : gpu::AddressSpace::Global;
  unsigned number = space == gpu::AddressSpace::Workgroup ? spaces.local
                    : space == gpu::AddressSpace::Private ? spaces.stack
                                                          : spaces.global;
  return LLVM::LLVMPointerType::get(type.getContext(), number);
}

Type tinytc::PointerTypeConverter::getMemoryType(Type type) const {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (auto memref = dyn_cast<MemRefType>(type))
    return getPointerType(memref);
  return type;
}

int64_t tinytc::getElementBytes(Type type) {
  if (isa<IndexType, MemRefType, LLVM::LLVMPointerType>(type))
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

Value tinytc::toI64(ImplicitLocOpBuilder &builder, Value index) {
  return arith::IndexCastOp::create(builder, builder.getI64Type(), index);
}

Value tinytc::PointerTypeConverter::createElementPointer(ImplicitLocOpBuilder &builder,
                                                         MemRefType type, Value base,
                                                         ValueRange indices) const {
  if (indices.empty())
    return base;
  Value index = toI64(builder, indices.front());
  return LLVM::GEPOp::create(
      builder, base.getType(), getMemoryType(type.getElementType()), base,
      ArrayRef<LLVM::GEPArg>{index}, LLVM::GEPNoWrapFlags::inbounds);
}

void tinytc::convertGlobals(Operation *module, unsigned space) {
  for (auto global :
       llvm::make_early_inc_range(module->getRegion(0).getOps<memref::GlobalOp>())) {
    auto elements = cast<DenseElementsAttr>(global.getInitialValueAttr());
    Type element = elements.getElementType();
    if (element.isIndex())
      element = IntegerType::get(element.getContext(), 64);
    auto type = LLVM::LLVMArrayType::get(element, elements.getNumElements());
    if (element != elements.getElementType())
      elements = cast<DenseElementsAttr>(elements.bitcast(element));
    OpBuilder builder(global);
    LLVM::GlobalOp::create(builder, global.getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, global.getSymName(), elements,
                           global.getAlignment().value_or(0), space);
    global.erase();
  }
}

namespace {

/// A pattern that knows the type of a pointer.
template <typename Op>
struct PointerPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  const PointerTypeConverter &getPointers() const {
    return *this->template getTypeConverter<PointerTypeConverter>();
  }
};

struct LoadPattern final : PointerPattern<memref::LoadOp> {
  using PointerPattern::PointerPattern;

  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type element = op.getMemRefType().getElementType();
    Value pointer = getPointers().createElementPointer(
        builder, op.getMemRefType(), adaptor.getMemref(), adaptor.getIndices());
    Value value = LLVM::LoadOp::create(builder, getPointers().getMemoryType(element),
                                       pointer, getElementBytes(element));
    if (element.isIndex())
      value = arith::IndexCastOp::create(builder, element, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct StorePattern final : PointerPattern<memref::StoreOp> {
  using PointerPattern::PointerPattern;

  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value pointer = getPointers().createElementPointer(
        builder, op.getMemRefType(), adaptor.getMemref(), adaptor.getIndices());
    Value value = adaptor.getValue();
    if (value.getType().isIndex())
      value = toI64(builder, value);
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, pointer,
                                               getElementBytes(value.getType()));
    return success();
  }
};

/// A piece of local memory.
struct ViewPattern final : OpConversionPattern<memref::ViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::ViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value shift = toI64(builder, op.getByteShift());
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
        op, adaptor.getSource().getType(), rewriter.getI8Type(), adaptor.getSource(),
        ArrayRef<LLVM::GEPArg>{shift}, LLVM::GEPNoWrapFlags::inbounds);
    return success();
  }
};

/// An array of one work-item. At the start of the kernel it does not use up the stack
/// in a loop, and LLVM can replace it by registers.
struct AllocaPattern final : PointerPattern<memref::AllocaOp> {
  using PointerPattern::PointerPattern;

  LogicalResult matchAndRewrite(memref::AllocaOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    if (!type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expected an array of known size");
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&kernel.getBody().front());
    Value count = LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI64Type(),
                                           type.getNumElements());
    Type element = getPointers().getMemoryType(type.getElementType());
    Value array = LLVM::AllocaOp::create(rewriter, op.getLoc(),
                                         getPointers().getPointerType(type), element,
                                         count, getElementBytes(type.getElementType()));
    rewriter.replaceOp(op, array);
    return success();
  }
};

/// The address of a constant.
struct GetGlobalPattern final : PointerPattern<memref::GetGlobalOp> {
  using PointerPattern::PointerPattern;

  LogicalResult matchAndRewrite(memref::GetGlobalOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(
        op, getPointers().getPointerType(op.getType()), op.getName());
    return success();
  }
};

struct CastPattern final : OpConversionPattern<memref::CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::CastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

/// The address of a pointer, by which a kernel knows whether there is an array.
struct AddressPattern final
    : OpConversionPattern<memref::ExtractAlignedPointerAsIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::ExtractAlignedPointerAsIndexOp op,
                                OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value address = LLVM::PtrToIntOp::create(
        rewriter, op.getLoc(), rewriter.getI64Type(), adaptor.getSource());
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, op.getType(), address);
    return success();
  }
};

struct FuncPattern final : OpConversionPattern<gpu::GPUFuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    if (failed(
            getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(), signature)))
      return rewriter.notifyMatchFailure(op, "expected parameters of the kernel ABI");
    auto type = rewriter.getFunctionType(signature.getConvertedTypes(), {});
    rewriter.modifyOpInPlace(op, [&] { op.setFunctionType(type); });
    rewriter.applySignatureConversion(&op.getBody().front(), signature,
                                      getTypeConverter());
    return success();
  }
};

} // namespace

void tinytc::populatePointerPatterns(const PointerTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, ViewPattern, AllocaPattern, GetGlobalPattern,
               CastPattern, AddressPattern, FuncPattern>(converter,
                                                         patterns.getContext());
}

LLVM::AtomicOrdering tinytc::convertSemantics(MemorySemantics semantics) {
  switch (semantics) {
  case MemorySemantics::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemorySemantics::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemorySemantics::Release:
    return LLVM::AtomicOrdering::release;
  case MemorySemantics::AcquireRelease:
    return LLVM::AtomicOrdering::acq_rel;
  case MemorySemantics::SequentiallyConsistent:
    return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("unknown semantics");
}
