//===- Memory.cpp - Local memory of blocks --------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/LocalMemory.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Bytes from the local memory of one group to that of the next. Parts of a warp begin
/// at different banks, and always at a multiple of 16 bytes.
int64_t getLocalStride(int64_t bytes, KernelShape shape) {
  int64_t shift = 0;
  if (shape.getNumWorkItems() < KernelShape::kWarp)
    shift = 4 * shape.getNumWorkItems();
  return llvm::alignTo(std::max(bytes - shift, int64_t(0)), kLocalMemoryAlignment) +
         shift;
}

/// The buffer of local memory: a variable of the module, with a part for each group.
struct AllocPattern final : OpConversionPattern<memref::AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::AllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    LLVM::LLVMPointerType pointer =
        getTypeConverter<PointerTypeConverter>()->getPointerType(type);
    if (!type.hasStaticShape() || !type.getElementType().isInteger(8))
      return rewriter.notifyMatchFailure(op, "expected bytes of local memory");
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    int64_t size = type.getNumElements();
    int64_t stride = getLocalStride(size, *shape);
    auto isTaken = [&](StringRef name) {
      return SymbolTable::lookupSymbolIn(module, name) != nullptr;
    };
    unsigned counter = 0;
    auto name = SymbolTable::generateSymbolName<64>(
        (kernel.getName() + "_local_memory").str(), isTaken, counter);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      // Loads of the last elements may read all of the 16 bytes around them.
      auto bytes = LLVM::LLVMArrayType::get(
          rewriter.getI8Type(),
          llvm::alignTo((shape->groups - 1) * stride + size, kVectorBytes));
      LLVM::GlobalOp::create(rewriter, op.getLoc(), bytes, /*isConstant=*/false,
                             LLVM::Linkage::Internal, name, Attribute(),
                             kLocalMemoryAlignment, pointer.getAddressSpace());
    }
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value memory = LLVM::AddressOfOp::create(builder, pointer, name);
    if (shape->groups > 1) {
      Value group = toI64(builder, gpu::ThreadIdOp::create(builder, gpu::Dimension::z));
      Value distance = arith::ConstantOp::create(builder, group.getType(),
                                                 builder.getI64IntegerAttr(stride));
      Value offset = arith::MulIOp::create(builder, group, distance);
      memory = LLVM::GEPOp::create(builder, memory.getType(), builder.getI8Type(),
                                   memory, ArrayRef<LLVM::GEPArg>{offset},
                                   LLVM::GEPNoWrapFlags::inbounds);
    }
    rewriter.replaceOp(op, memory);
    return success();
  }
};

/// Other warps of the core have work while one waits for memory.
struct PrefetchPattern final : OpConversionPattern<memref::PrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::PrefetchOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// A copy that no thread waits for. Upstream's pattern expects descriptors.
struct AsyncCopyPattern final : OpConversionPattern<nvgpu::DeviceAsyncCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvgpu::DeviceAsyncCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getAsyncToken().use_empty())
      return rewriter.notifyMatchFailure(op, "expected groups without tokens");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    const auto *pointers = getTypeConverter<PointerTypeConverter>();
    auto getPlace = [&](Value memref, Value base, ValueRange indices) {
      auto type = cast<MemRefType>(memref.getType());
      return pointers->createElementPointer(builder, type, base, indices);
    };
    Value to = getPlace(op.getDst(), adaptor.getDst(), adaptor.getDstIndices());
    Value from = getPlace(op.getSrc(), adaptor.getSrc(), adaptor.getSrcIndices());
    auto type = cast<MemRefType>(op.getDst().getType());
    int64_t elementBytes = getElementBytes(type.getElementType());
    int64_t bytes = op.getDstElements().getSExtValue() * elementBytes;
    Value read;
    if (Value elements = adaptor.getSrcElements()) {
      Type i32 = builder.getI32Type();
      elements = arith::IndexCastOp::create(builder, i32, elements);
      Value size = arith::ConstantOp::create(builder, i32,
                                             builder.getI32IntegerAttr(elementBytes));
      read = arith::MulIOp::create(builder, elements, size);
    }
    auto cache = bytes == kVectorBytes ? NVVM::LoadCacheModifierKind::CG
                                       : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(builder, to, from, bytes, cache, read);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tinytc::populateNVVMMemoryPatterns(const PointerTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<AllocPattern, PrefetchPattern, AsyncCopyPattern>(converter,
                                                                patterns.getContext());
}
