//===- Pointers.cpp - Memrefs as pointers ---------------------------------===//
//
// At the gpu stage each memref is a pointer to elements that one index counts.
// Upstream's conversion makes descriptors of them, and parameters that no kernel ABI
// has.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/LocalMemory.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Arrays of a single work-item are allocated on its stack, whose pointers are generic;
/// LLVM keeps them in registers or infers the address space.
static unsigned getAddressSpace(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (!space)
    return static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
  switch (space.getValue()) {
  case gpu::AddressSpace::Workgroup:
    return static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  case gpu::AddressSpace::Private:
    return static_cast<unsigned>(NVVM::NVVMMemorySpace::Generic);
  default:
    return static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
  }
}

static LLVM::LLVMPointerType getPointerType(MemRefType type) {
  return LLVM::LLVMPointerType::get(type.getContext(), getAddressSpace(type));
}

/// The type of an element in memory; complex numbers have been split into their parts.
static Type getMemoryType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (auto memref = dyn_cast<MemRefType>(type))
    return getPointerType(memref);
  return type;
}

tinytc::PointerTypeConverter::PointerTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](MemRefType type) -> Type { return getPointerType(type); });
}

int64_t tinytc::getElementBytes(Type type) {
  Type stored = getMemoryType(type);
  if (isa<LLVM::LLVMPointerType>(stored))
    return 8;
  return llvm::divideCeil(stored.getIntOrFloatBitWidth(), 8);
}

static Value toI64(ImplicitLocOpBuilder &builder, Value index) {
  return arith::IndexCastOp::create(builder, builder.getI64Type(), index);
}

Value tinytc::createElementPointer(ImplicitLocOpBuilder &builder, MemRefType type,
                                   Value base, ValueRange indices) {
  if (indices.empty())
    return base;
  Value index = toI64(builder, indices.front());
  return LLVM::GEPOp::create(
      builder, base.getType(), getMemoryType(type.getElementType()), base,
      ArrayRef<LLVM::GEPArg>{index}, LLVM::GEPNoWrapFlags::inbounds);
}

namespace {

struct LoadPattern final : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type element = op.getMemRefType().getElementType();
    Value pointer = createElementPointer(builder, op.getMemRefType(),
                                         adaptor.getMemref(), adaptor.getIndices());
    Value value = LLVM::LoadOp::create(builder, getMemoryType(element), pointer,
                                       getElementBytes(element));
    if (element.isIndex())
      value = arith::IndexCastOp::create(builder, element, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct StorePattern final : OpConversionPattern<memref::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value pointer = createElementPointer(builder, op.getMemRefType(),
                                         adaptor.getMemref(), adaptor.getIndices());
    Value value = adaptor.getValue();
    if (value.getType().isIndex())
      value = toI64(builder, value);
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, pointer,
                                               getElementBytes(value.getType()));
    return success();
  }
};

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
                             kLocalMemoryAlignment, getAddressSpace(type));
    }
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value memory = LLVM::AddressOfOp::create(builder, getPointerType(type), name);
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

/// A piece of that buffer.
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
struct AllocaPattern final : OpConversionPattern<memref::AllocaOp> {
  using OpConversionPattern::OpConversionPattern;

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
    Type element = getMemoryType(type.getElementType());
    Value array = LLVM::AllocaOp::create(rewriter, op.getLoc(), getPointerType(type),
                                         element, count, getElementBytes(element));
    rewriter.replaceOp(op, array);
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

/// Other warps of the core have work while one waits for memory.
struct PrefetchPattern final : OpConversionPattern<memref::PrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::PrefetchOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
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

void tinytc::populatePointerPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, AllocPattern, ViewPattern, AllocaPattern,
               AddressPattern, PrefetchPattern, FuncPattern>(converter,
                                                             patterns.getContext());
}
