//===- Pass.cpp - From the gpu stage to vectors and to LLVM ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Builders/ExpandFunctions.h"
#include "lib/Conversion/GPUToLLVM/Patterns.h"
#include "lib/Conversion/GPUToVector/Approximations.h"
#include "lib/Conversion/GPUToVector/HalfPrecision.h"
#include "lib/Conversion/GPUToVector/MaskedAccess.h"
#include "lib/Conversion/GPUToVector/OutlineFunctions.h"
#include "lib/Conversion/GPUToVector/OutlineLoops.h"
#include "lib/Conversion/GPUToVector/PackedProducts.h"
#include "lib/Conversion/GPUToVector/RotateLoops.h"
#include "lib/Conversion/GPUToVector/StreamingStores.h"
#include "lib/Conversion/GPUToVector/Vectorizer.h"
#include "lib/Target/Target.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CONVERTGPUTOVECTORPASS
#define GEN_PASS_DEF_CONVERTVECTORTOLLVMPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Threads usually have 8 MiB, and what they run before may need some of it.
static constexpr int64_t kMostFrameBytes = 1024 * 1024;
static constexpr int64_t kStackAlignment = 16;

/// LLVM prefers half registers on some processors. With the size of a frame that it
/// warns of, kernels that need more of the stack are refused. Registers that are
/// spilled must not cross lines of the cache; LLVM aligns the stack for them only if it
/// knows before it allocates registers.
static void setAttributes(LLVM::LLVMFuncOp function, int64_t bytes) {
  Builder builder(function.getContext());
  auto pair = [&](StringRef name, int64_t value) -> Attribute {
    return builder.getStrArrayAttr({name, std::to_string(value)});
  };
  SmallVector<Attribute> attributes = {builder.getStringAttr("nounwind"),
                                       pair("prefer-vector-width", 8 * bytes),
                                       pair("min-legal-vector-width", 8 * bytes),
                                       pair("warn-stack-size", kMostFrameBytes)};
  if (bytes > kStackAlignment)
    attributes.push_back(builder.getStringAttr("stackrealign"));
  function.setPassthroughAttr(builder.getArrayAttr(attributes));
}

/// Products that may be fused with sums are rounded first: LLVM would call a function
/// to fuse them. The fma of programs, and of functions, is that call.
static void separateMultiplyAdds(gpu::GPUFuncOp kernel) {
  kernel.walk([](math::FmaOp op) {
    if (!bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::contract))
      return;
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Value product = arith::MulFOp::create(builder, op.getA(), op.getB());
    op.replaceAllUsesWith(
        arith::AddFOp::create(builder, product, op.getC()).getResult());
    op.erase();
  });
}

/// Functions become arithmetic, which vectors do. Sines and cosines, and remainders,
/// need fused multiply-adds: without instructions for them, the C library is called for
/// each lane.
static LogicalResult vectorizeFunctions(gpu::GPUFuncOp kernel, bool fuses) {
  MLIRContext *context = kernel.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  RewritePatternSet patterns(context);
  populateFunctionPatterns(converter, patterns, AddressSpaces(),
                           fuses ? getVectorApproximations() : Approximations());
  populateRemainderPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal(
      [fuses](Operation *op) { return !isExpanded(op, fuses); });
  return applyPartialConversion(kernel, target, std::move(patterns));
}

namespace {

struct ConvertGPUToVector final
    : tinytc::impl::ConvertGPUToVectorPassBase<ConvertGPUToVector> {
  using ConvertGPUToVectorPassBase::ConvertGPUToVectorPassBase;

  void runOnOperation() override {
    FailureOr<const Target *> target = getTargetOf(getOperation(), "native");
    if (failed(target))
      return signalPassFailure();
    FailureOr<TargetAttr> attribute = getTarget(getOperation());
    if (failed(attribute) || failed(checkTileRegisters(**target, *attribute)))
      return signalPassFailure();
    bool fuses = (*target)->convertsF16;
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      if (failed(expandFunctions(kernels)))
        return signalPassFailure();
      convertGlobals(kernels, AddressSpaces().global);
      const Machine &machine = getMachine(*attribute);
      outlineFunctions(kernels, machine.registerBytes, fuses);
      // Functions that kernels call are at the end.
      for (auto kernel : llvm::make_early_inc_range(kernels.getOps<gpu::GPUFuncOp>()))
        if (failed(convert(kernel, **target, machine)))
          return signalPassFailure();
    }
  }

private:
  static std::string list(TileShape tile) {
    return llvm::formatv("{0}, {1}, {2}", tile.rows, tile.columns, tile.words);
  }

  /// LLVM aborts where a processor has no tile registers.
  LogicalResult checkTileRegisters(const Target &target, TargetAttr attribute) {
    const TileRegisters &tiles = getMachine(attribute).tiles;
    WalkResult result = getOperation().walk([&](TileProductOp op) -> WalkResult {
      if (!tiles.areThere())
        return op.emitOpError("expected a target with tile registers, got '")
               << target.name << "'";
      ArrayRef<int64_t> tile = op.getTile();
      if (tiles.fits({tile[0], tile[1], tile[2]}))
        return WalkResult::advance();
      return op.emitOpError("expected a tile of multiples of [")
             << list(tiles.step) << "] up to [" << list(tiles.most) << "] on '"
             << target.name << "', got [" << tile << "]";
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult convert(gpu::GPUFuncOp kernel, const Target &target,
                               const Machine &machine) {
    FailureOr<KernelWorkGroup> group = KernelWorkGroup::get(kernel);
    bool fuses = target.convertsF16;
    if (!fuses)
      separateMultiplyAdds(kernel);
    if (failed(group) || failed(vectorizeFunctions(kernel, fuses)) ||
        failed(Vectorizer(kernel, *group, machine)
                   .emit(target.maxDeclaredLocalMemoryBytes)))
      return failure();
    kernel.erase();
    return success();
  }
};

struct ConvertVectorToLLVM final
    : tinytc::impl::ConvertVectorToLLVMPassBase<ConvertVectorToLLVM> {
  using ConvertVectorToLLVMPassBase::ConvertVectorToLLVMPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    converter = std::make_shared<LLVMTypeConverter>(context, options);
    RewritePatternSet set(context);
    populateSCFToControlFlowConversionPatterns(set);
    populateLoopRotationPatterns(set);
    cf::populateControlFlowToLLVMConversionPatterns(*converter, set);
    arith::populateArithToLLVMConversionPatterns(*converter, set);
    populateMathToLLVMConversionPatterns(*converter, set);
    populateVectorToLLVMConversionPatterns(*converter, set);
    ub::populateUBToLLVMConversionPatterns(*converter, set);
    populateFuncToLLVMConversionPatterns(*converter, set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    FailureOr<const Target *> target = getTargetOf(getOperation(), "native");
    FailureOr<TargetAttr> attribute = getTarget(getOperation());
    if (failed(target) || failed(attribute))
      return signalPassFailure();
    const Machine &machine = getMachine(*attribute);
    int64_t bytes = machine.registerBytes;
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      addStreamingStores(kernels, machine);
      outlineLoops(kernels);
      narrowMaskedAccess(kernels);
      if (failed(expandHalfPrecision(kernels, **target)))
        return signalPassFailure();
      expandPackedProducts(kernels, machine);
      if (failed(convert(kernels)))
        return signalPassFailure();
      for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
        if (!function.isExternal()) {
          setAttributes(function, bytes);
          function.setNoInline(function.getLinkage() == LLVM::Linkage::Internal);
        }
    }
  }

private:
  LogicalResult convert(gpu::GPUModuleOp kernels) {
    LLVMConversionTarget target(getContext());
    target.addLegalOp<gpu::GPUModuleOp>();
    return applyFullConversion(kernels, target, patterns);
  }

  /// Converts types for the patterns, which refer to it.
  std::shared_ptr<LLVMTypeConverter> converter;
  FrozenRewritePatternSet patterns;
};

} // namespace
