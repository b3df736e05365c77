//===- Pass.cpp - Kernels as gpu.func with the kernel ABI -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "dialect/Scalars.h"
#include "lib/Conversion/OutlineKernels/Descriptor.h"
#include "lib/Conversion/OutlineKernels/Flatten.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

class FlattenTypeConverter : public TypeConverter {
public:
  FlattenTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](MemRefType type, SmallVectorImpl<Type> &types) {
      if (isPointerType(type))
        types.push_back(type);
      else
        getDescriptorTypes(type, types);
      return success();
    });
    // A constant, or a piece that is the whole buffer of local memory: that view is
    // folded away.
    addTargetMaterialization([](OpBuilder &nested, MemRefType type, ValueRange values,
                                Location loc) -> Value {
      ImplicitLocOpBuilder builder(loc, nested);
      if (values.front().getDefiningOp<memref::GetGlobalOp>())
        return memref::CastOp::create(builder, type, values.front());
      auto buffer = values.front().getDefiningOp<memref::AllocOp>();
      if (!buffer)
        return {};
      Value zero = arith::ConstantIndexOp::create(builder, 0);
      Value size =
          arith::ConstantIndexOp::create(builder, buffer.getType().getNumElements());
      return memref::ViewOp::create(builder, type, buffer, zero, size);
    });
  }
};

/// The scalar that a parameter carries.
Value castParameter(OpBuilder &nested, Value parameter, Type type) {
  ImplicitLocOpBuilder builder(parameter.getLoc(), nested);
  if (parameter.getType() == type)
    return parameter;
  if (!type.isInteger(1))
    return arith::BitcastOp::create(builder, type, parameter);
  Value zero =
      arith::ConstantOp::create(builder, IntegerAttr::get(parameter.getType(), 0));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, parameter, zero);
}

struct KernelPattern final : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(func::FuncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<KernelSizes> sizes = getKernelSizes(op);
    if (failed(sizes))
      return failure();
    SmallVector<Type> types;
    SmallVector<Location> locations;
    SmallVector<size_t> counts;
    for (BlockArgument argument : op.getArguments()) {
      size_t before = types.size();
      if (failed(getTypeConverter()->convertType(argument.getType(), types)))
        return rewriter.notifyMatchFailure(op, "expected parameters of the kernel ABI");
      counts.push_back(types.size() - before);
      locations.append(counts.back(), argument.getLoc());
    }
    llvm::transform(types, types.begin(), getParameterType);

    auto kernel = gpu::GPUFuncOp::create(rewriter, op.getLoc(), op.getSymName(),
                                         rewriter.getFunctionType(types, {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), rewriter.getUnitAttr());
    kernel.setKnownBlockSizeAttr(rewriter.getDenseI32ArrayAttr(
        {sizes->workGroupSize[0], sizes->workGroupSize[1], 1}));
    setDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(
        kernel, rewriter.getI32IntegerAttr(sizes->subgroupSize));
    if (auto manifest = getDiscardable<TinyTCDialect::ManifestAttrHelper>(op))
      setDiscardable<TinyTCDialect::ManifestAttrHelper>(kernel, manifest);

    Block *entry = &kernel.getBody().front();
    for (auto [argument, loc] : llvm::zip(entry->getArguments(), locations))
      argument.setLoc(loc);
    rewriter.setInsertionPointToStart(entry);
    TypeConverter::SignatureConversion signature(counts.size());
    size_t next = 0;
    for (auto [i, count] : llvm::enumerate(counts)) {
      SmallVector<Value> values;
      Type type = op.getArgumentTypes()[i];
      for (Value part : entry->getArguments().slice(next, count))
        values.push_back(isa<MemRefType>(type) ? part
                                               : castParameter(rewriter, part, type));
      signature.remapInput(i, values);
      next += count;
    }
    Block *body = rewriter.applySignatureConversion(&op.getBody().front(), signature,
                                                    getTypeConverter());
    rewriter.mergeBlocks(body, entry);
    rewriter.eraseOp(op);
    return success();
  }
};

/// A constant has the type of its global.
struct GetGlobalPattern final : OpConversionPattern<memref::GetGlobalOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::GetGlobalOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto global = findGlobal(op);
    if (!global)
      return rewriter.notifyMatchFailure(op, "expected a global of the module");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value memory = memref::GetGlobalOp::create(builder, global.getType(), op.getName());
    rewriter.replaceOpWithNewOp<memref::CastOp>(op, getPointerType(op.getType()),
                                                memory);
    return success();
  }

  static memref::GlobalOp findGlobal(memref::GetGlobalOp op) {
    return SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
  }
};

/// Gives a global its elements as they are stored: bits of bf16, parts of complex
/// numbers.
void storeElements(memref::GlobalOp global) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
  Type type = elements ? elements.getElementType() : Type();
  Type stored = type ? getStorageType(type) : Type();
  if (type == stored)
    return;
  ArrayRef<char> bytes = elements.getRawData();
  int64_t count = elements.getNumElements(), total = 0;
  SmallVector<char> all;
  for (int64_t i = 0, copies = elements.isSplat() ? count : 1; i < copies; ++i)
    llvm::append_range(all, bytes);
  total = isa<ComplexType>(type) ? 2 * count : count;
  global.setInitialValueAttr(
      DenseElementsAttr::getFromRawBuffer(RankedTensorType::get(total, stored), all));
  global.setType(MemRefType::get(total, stored));
}

struct ReturnPattern final : OpConversionPattern<func::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<gpu::ReturnOp>(op);
    return success();
  }
};

/// Checks that a function can be a kernel.
LogicalResult verifyKernel(func::FuncOp func) {
  if (failed(getKernelSizes(func)))
    return failure();
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a kernel of one block, got ")
           << func.getBody().getBlocks().size();
  if (func.getNumResults() != 0)
    return func.emitError("expected a kernel without results, got ")
           << func.getNumResults();
  return success();
}

struct OutlineKernels final : tinytc::impl::OutlineKernelsPassBase<OutlineKernels> {
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // A declaration is not a kernel: it stays where it is.
    SmallVector<func::FuncOp> funcs;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isDeclaration())
        funcs.push_back(func);
    if (funcs.empty())
      return;
    for (func::FuncOp func : funcs)
      if (failed(verifyKernel(func)))
        return signalPassFailure();
    OpBuilder builder(funcs.front());
    auto kernels = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    for (func::FuncOp func : funcs)
      func->moveBefore(kernels.getBody(), kernels.getBody()->end());
    // Inserted again, the module gets another name if that one is taken.
    auto place = std::next(kernels->getIterator());
    kernels->remove();
    SymbolTable(module).insert(kernels, place);
    for (auto global : llvm::make_early_inc_range(module.getOps<memref::GlobalOp>())) {
      global->moveBefore(kernels.getBody(), kernels.getBody()->begin());
      storeElements(global);
    }
    if (failed(convert(kernels)))
      signalPassFailure();
  }

private:
  LogicalResult convert(gpu::GPUModuleOp kernels) {
    FlattenTypeConverter converter;
    RewritePatternSet patterns(&getContext());
    populateFlattenPatterns(converter, patterns);
    patterns.add<GetGlobalPattern, KernelPattern, ReturnPattern>(converter,
                                                                 &getContext());
    ConversionTarget target(getContext());
    target.addIllegalDialect<func::FuncDialect>();
    target.addIllegalDialect("linalg");
    target.addDynamicallyLegalDialect<memref::MemRefDialect>(
        [](Operation *op) { return isFlat(op); });
    target.addDynamicallyLegalOp<AtomicOp, SubgroupBlockLoadOp, TileProductOp,
                                 nvgpu::DeviceAsyncCopyOp, vector::LoadOp,
                                 vector::StoreOp>(
        [](Operation *op) { return isFlat(op); });
    target.addIllegalOp<ComplexPartsOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    ConversionConfig config;
    // Patterns fail before they change anything: keeping what they replace, to undo it,
    // takes a third of the time.
    config.allowPatternRollback = false;
    return applyPartialConversion(kernels, target, std::move(patterns), config);
  }

  /// Whether a memref op only uses pointers.
  static bool isFlat(Operation *op) {
    // The buffer of local memory and its pieces.
    if (isa<memref::AllocOp, memref::GlobalOp>(op))
      return true;
    if (auto constant = dyn_cast<memref::GetGlobalOp>(op)) {
      memref::GlobalOp global = GetGlobalPattern::findGlobal(constant);
      return global && global.getType() == constant.getType();
    }
    if (auto cast = dyn_cast<memref::CastOp>(op))
      return cast.getSource().getDefiningOp<memref::GetGlobalOp>();
    if (auto array = dyn_cast<memref::AllocaOp>(op))
      return isPointerType(array.getType());
    if (auto view = dyn_cast<memref::ViewOp>(op))
      return isPointerType(view.getType());
    return llvm::all_of(op->getOperands(), [](Value operand) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      return !type || isPointerType(type);
    });
  }
};

} // namespace
