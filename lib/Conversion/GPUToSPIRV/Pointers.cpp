//===- Pointers.cpp - Pointers to pointers, local memory, bits ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Scalars.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Builders/Outlining.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Bytes of a pointer in the Physical64 addressing model.
static constexpr int32_t kPointerBytes = 8;

/// The type of the variable for a buffer of local memory, null if `type` is not one.
/// It is built from the largest vectors that MLIR can read again; emission replaces
/// them by ones that align the variable.
static spirv::PointerType getLocalBufferType(MemRefType type) {
  auto storage = dyn_cast_or_null<spirv::StorageClassAttr>(type.getMemorySpace());
  if (!storage || storage.getValue() != spirv::StorageClass::Workgroup ||
      !type.hasStaticShape() || !type.getElementType().isInteger(8))
    return {};
  auto vector = VectorType::get(4, IntegerType::get(type.getContext(), 64));
  int64_t count = llvm::divideCeil(type.getNumElements(), kLocalMemoryAlignment) *
                  (kLocalMemoryAlignment / (4 * 8));
  return spirv::PointerType::get(spirv::ArrayType::get(vector, count),
                                 spirv::StorageClass::Workgroup);
}

void tinytc::populateTypeConversions(SPIRVTypeConverter &converter) {
  converter.addConversion([&converter](MemRefType type) -> std::optional<Type> {
    if (spirv::PointerType buffer = getLocalBufferType(type))
      return buffer;
    if (!isa<MemRefType>(type.getElementType()))
      return std::nullopt;
    Type element = converter.convertType(type.getElementType());
    auto storage = dyn_cast_or_null<spirv::StorageClassAttr>(type.getMemorySpace());
    if (!element || !storage)
      return Type();
    return spirv::PointerType::get(element, storage.getValue());
  });
  // No runtime supports all floating types of SPIR-V: the values of some are bits.
  converter.addConversion([](FloatType type) -> std::optional<Type> {
    if (!isStoredAsBits(type))
      return std::nullopt;
    return getStorageType(type);
  });
}

namespace {

/// Load of a pointer from an array of pointers.
struct LoadPointerPattern final : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected an array of pointers");
    Value pointer =
        spirv::PtrAccessChainOp::create(rewriter, op.getLoc(), adaptor.getMemref(),
                                        adaptor.getIndices().front(), ValueRange());
    rewriter.replaceOpWithNewOp<spirv::LoadOp>(
        op, getTypeConverter()->convertType(op.getType()), pointer,
        spirv::MemoryAccessAttr::get(getContext(), spirv::MemoryAccess::Aligned),
        rewriter.getI32IntegerAttr(kPointerBytes));
    return success();
  }
};

/// The buffer of local memory: a variable of the module.
struct AllocPattern final : OpConversionPattern<memref::AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::AllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    spirv::PointerType type = getLocalBufferType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "expected bytes of local memory");
    Operation *scope = SymbolTable::getNearestSymbolTable(op->getParentOp());
    auto kernel = op->getParentOfType<FunctionOpInterface>();
    std::string name =
        createUniqueName(scope, (kernel.getName() + "_local_memory").str());
    spirv::GlobalVariableOp variable;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&scope->getRegion(0).front());
      variable = spirv::GlobalVariableOp::create(rewriter, op.getLoc(), type, name,
                                                 FlatSymbolRefAttr());
    }
    rewriter.replaceOpWithNewOp<spirv::AddressOfOp>(op, variable);
    return success();
  }
};

/// The memory of a constant, which has at least one element.
static spirv::PointerType getGlobalType(MemRefType type) {
  Type element = type.getElementType();
  if (element.isIndex())
    element = IntegerType::get(type.getContext(), 64);
  auto array =
      spirv::ArrayType::get(element, std::max<int64_t>(type.getNumElements(), 1));
  return spirv::PointerType::get(array, spirv::StorageClass::CrossWorkgroup);
}

/// A constant: a variable of the module. Its elements are an attribute until its bytes
/// are written, since MLIR has an op with a name for each element at the scope of a
/// module, which takes time quadratic in their number to verify.
struct GlobalPattern final : OpConversionPattern<memref::GlobalOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::GlobalOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto dense = dyn_cast_or_null<DenseElementsAttr>(op.getInitialValueAttr());
    if (!dense)
      return rewriter.notifyMatchFailure(op, "expected a constant");
    // An instruction of SPIR-V has at most 65,535 words, three of them before elements.
    static constexpr int64_t kMostElements = 65532;
    if (dense.getNumElements() > kMostElements)
      return op.emitError("expected at most ")
             << kMostElements << " elements of a constant for SPIR-V, got "
             << dense.getNumElements() << "; pass it as a parameter";
    if (dense.getElementType().isIndex())
      dense = dense.bitcast(rewriter.getI64Type());
    auto variable = rewriter.replaceOpWithNewOp<spirv::GlobalVariableOp>(
        op, getGlobalType(op.getType()), op.getSymName(), FlatSymbolRefAttr());
    setDiscardable<TinyTCDialect::ElementsAttrHelper>(variable, dense);
    return success();
  }
};

/// The address of a constant, as the type of its first elements.
struct GetGlobalPattern final : OpConversionPattern<memref::GetGlobalOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::GetGlobalOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::AddressOfOp>(op, getGlobalType(op.getType()),
                                                    op.getName());
    return success();
  }
};

struct CastPattern final : OpConversionPattern<memref::CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::CastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "expected pointers");
    rewriter.replaceOpWithNewOp<spirv::BitcastOp>(op, type, adaptor.getSource());
    return success();
  }
};

/// A piece of that buffer.
struct ViewPattern final : OpConversionPattern<memref::ViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::ViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto to = dyn_cast_or_null<spirv::PointerType>(
        getTypeConverter()->convertType(op.getType()));
    Type element = op.getType().getElementType();
    APInt shift;
    if (!to || !matchPattern(adaptor.getByteShift(), m_ConstantInt(&shift)) ||
        !element.isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "expected scalars at a constant offset");
    auto scalar = spirv::PointerType::get(element, to.getStorageClass());
    Value base = spirv::BitcastOp::create(builder, scalar, adaptor.getSource());
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    Type index = getTypeConverter<SPIRVTypeConverter>()->getIndexType();
    Value offset = spirv::ConstantOp::create(
        builder, index, IntegerAttr::get(index, shift.getSExtValue() / bytes));
    Value piece = spirv::PtrAccessChainOp::create(builder, base, offset, ValueRange());
    // A view whose size is known points to an array.
    if (scalar != to)
      piece = spirv::BitcastOp::create(builder, to, piece);
    rewriter.replaceOp(op, piece);
    return success();
  }
};

/// Casts between a type and its bits do nothing.
struct BitcastPattern final : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
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
  patterns.add<LoadPointerPattern, AllocPattern, GlobalPattern, GetGlobalPattern,
               CastPattern, ViewPattern, BitcastPattern>(
      converter, patterns.getContext(), /*benefit=*/2);
}
