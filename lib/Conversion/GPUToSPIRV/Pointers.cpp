//===- Pointers.cpp - Pointers to pointers, local memory, bf16 ------------===//

#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Bytes of a pointer in the Physical64 addressing model.
static constexpr int32_t kPointerBytes = 8;

void tinytc::populateTypeConversions(SPIRVTypeConverter &converter) {
  converter.addConversion([&converter](MemRefType type) -> std::optional<Type> {
    if (!isa<MemRefType>(type.getElementType()))
      return std::nullopt;
    Type element = converter.convertType(type.getElementType());
    auto storage = dyn_cast_or_null<spirv::StorageClassAttr>(type.getMemorySpace());
    if (!element || !storage)
      return Type();
    return spirv::PointerType::get(element, storage.getValue());
  });
  // No runtime knows the bf16 type of SPIR-V: bf16 values are bits.
  converter.addConversion([](BFloat16Type type) -> std::optional<Type> {
    return IntegerType::get(type.getContext(), 16);
  });
}

namespace {

/// Load of a pointer from an array of pointers.
struct LoadPointerPattern final : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected an array of pointers");
    Value pointer = spirv::PtrAccessChainOp::create(
        rewriter, op.getLoc(), adaptor.getMemref(), adaptor.getIndices().front(),
        ValueRange());
    rewriter.replaceOpWithNewOp<spirv::LoadOp>(
        op, getTypeConverter()->convertType(op.getType()), pointer,
        spirv::MemoryAccessAttr::get(getContext(), spirv::MemoryAccess::Aligned),
        rewriter.getI32IntegerAttr(kPointerBytes));
    return success();
  }
};

/// The address of the first element of an array in local memory.
struct CastPattern final : OpConversionPattern<memref::CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto from = dyn_cast<spirv::PointerType>(adaptor.getSource().getType());
    Type to = getTypeConverter()->convertType(op.getType());
    if (!from || !isa_and_present<spirv::PointerType>(to))
      return rewriter.notifyMatchFailure(op, "expected pointers");
    if (from == to) {
      rewriter.replaceOp(op, adaptor.getSource());
      return success();
    }
    if (!isa<spirv::ArrayType>(from.getPointeeType()))
      return rewriter.notifyMatchFailure(op, "expected a pointer to an array");
    Type index = getTypeConverter<SPIRVTypeConverter>()->getIndexType();
    Value zero = spirv::ConstantOp::getZero(index, op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<spirv::AccessChainOp>(op, to, adaptor.getSource(), zero);
    return success();
  }
};

/// Between bf16 and i16 there is nothing to do.
struct BitcastPattern final : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getIn().getType() != getTypeConverter()->convertType(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected types of the same bits");
    rewriter.replaceOp(op, adaptor.getIn());
    return success();
  }
};

} // namespace

void tinytc::populatePointerPatterns(const SPIRVTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<LoadPointerPattern, CastPattern, BitcastPattern>(
      converter, patterns.getContext(), /*benefit=*/2);
}
