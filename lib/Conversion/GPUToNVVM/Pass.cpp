//===- Pass.cpp - From the gpu stage to NVVM ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Builders/ExpandFunctions.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"
#include "lib/Target/Target.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CONVERTGPUTONVVMPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

using SubgroupSize = TinyTCDialect::SubgroupSizeAttrHelper;

/// Makes vectors of two of the complex parameters, as the kernel ABI says.
static void passComplexAsVectors(gpu::GPUFuncOp kernel) {
  auto builder =
      ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &kernel.getBody().front());
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<ComplexType>(argument.getType());
    if (!type)
      continue;
    argument.setType(VectorType::get(2, type.getElementType()));
    auto extract = [&](int64_t part) -> Value {
      Value position =
          LLVM::ConstantOp::create(builder, builder.getI32IntegerAttr(part));
      return LLVM::ExtractElementOp::create(builder, argument, position);
    };
    Value re = extract(0), im = extract(1);
    Value number = complex::CreateOp::create(builder, type, re, im);
    argument.replaceUsesWithIf(number, [&](OpOperand &use) {
      return !isa<LLVM::ExtractElementOp>(use.getOwner());
    });
  }
  kernel.setFunctionType(
      builder.getFunctionType(kernel.getBody().getArgumentTypes(), {}));
}

/// Upstream takes the known size of blocks as a limit, but only that size is right.
static void requireBlockSize(LLVM::LLVMFuncOp kernel) {
  StringRef limit = NVVM::NVVMDialect::getMaxntidAttrName();
  if (Attribute size = kernel->getAttr(limit)) {
    kernel->removeAttr(limit);
    kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
  }
}

/// Tells ptxas that one block of a multiprocessor is enough. Kernels with stages then
/// have as many registers as they use: left alone, ptxas prefers a few spills.
static void allowAllRegisters(LLVM::LLVMFuncOp kernel) {
  if (hasAny(kernel, llvm::IsaPred<NVVM::CpAsyncOp>))
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    Builder(kernel.getContext()).getI32IntegerAttr(1));
}

using Manifest = TinyTCDialect::ManifestAttrHelper;

/// The buffers of local memory that a kernel addresses.
static SmallVector<LLVM::GlobalOp> getLocalBuffers(LLVM::LLVMFuncOp kernel,
                                                   const SymbolTable &symbols) {
  llvm::SmallSetVector<Operation *, 4> buffers;
  kernel.walk([&](LLVM::AddressOfOp address) {
    auto global = symbols.lookup<LLVM::GlobalOp>(address.getGlobalName());
    if (global &&
        global.getAddrSpace() == static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
      buffers.insert(global);
  });
  return llvm::map_to_vector(buffers,
                             [](Operation *op) { return cast<LLVM::GlobalOp>(op); });
}

static int64_t getPaddedBytes(LLVM::GlobalOp buffer) {
  auto type = cast<LLVM::LLVMArrayType>(buffer.getGlobalType());
  return llvm::alignTo(type.getNumElements(), kLocalMemoryAlignment);
}

/// Puts buffers one after the other into memory that the launch provides: what a kernel
/// declares as external begins there.
static void makeDynamic(LLVM::LLVMFuncOp kernel, ArrayRef<LLVM::GlobalOp> buffers) {
  LLVM::GlobalOp first = buffers.front();
  int64_t offset = getPaddedBytes(first);
  for (LLVM::GlobalOp buffer : buffers.drop_front()) {
    kernel.walk([&](LLVM::AddressOfOp address) {
      if (address.getGlobalName() != buffer.getName())
        return;
      OpBuilder builder(address.getContext());
      builder.setInsertionPointAfter(address);
      address.setGlobalName(first.getName());
      auto place = LLVM::GEPOp::create(
          builder, address.getLoc(), address.getType(), builder.getI8Type(), address,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
      address.getResult().replaceAllUsesExcept(place, place);
    });
    offset += getPaddedBytes(buffer);
    buffer.erase();
  }
  Type byte = IntegerType::get(first.getContext(), 8);
  first.setGlobalType(LLVM::LLVMArrayType::get(byte, 0));
  first.setLinkage(LLVM::Linkage::External);
}

/// Keeps LLVM from moving loads out of conditions, as it does with loads of memory that
/// is certainly there: all lanes would read an element that one of them then writes. It
/// has an attribute for code in which the loads of each thread count.
static void forbidSpeculativeLoads(LLVM::LLVMFuncOp kernel) {
  Builder builder(kernel.getContext());
  kernel.setPassthroughAttr(builder.getStrArrayAttr({"sanitize_thread"}));
}

/// The launch provides local memory beyond what a kernel may declare.
/// The manifest says how much there is.
static void placeLocalMemory(LLVM::LLVMFuncOp kernel, const SymbolTable &symbols,
                             int64_t maxDeclaredBytes) {
  SmallVector<LLVM::GlobalOp> buffers = getLocalBuffers(kernel, symbols);
  if (!buffers.empty())
    forbidSpeculativeLoads(kernel);
  int64_t bytes = 0;
  for (LLVM::GlobalOp buffer : buffers)
    bytes += getPaddedBytes(buffer);
  if (bytes > maxDeclaredBytes)
    makeDynamic(kernel, buffers);
  if (ManifestAttr manifest = getDiscardable<Manifest>(kernel))
    setManifest(kernel, manifest.withLocalMemoryBytes(bytes));
}

/// The lanes of a warp that an operation waits for, null if it is none that waits.
static Value getWaitingLanes(Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([](NVVM::ShflOp op) { return op.getThreadMask(); })
      .Case([](NVVM::ReduxOp op) { return op.getMaskAndClamp(); })
      .Case([](NVVM::VoteSyncOp op) { return op.getMask(); })
      .Default([](Operation *) { return Value(); });
}

/// Whether an operation may leave parts of a warp at different instructions.
static bool partsWarp(Operation *op) {
  Value lanes = getWaitingLanes(op);
  APInt constant;
  bool isWarp =
      lanes && matchPattern(lanes, m_ConstantInt(&constant)) && constant.isAllOnes();
  return lanes && !isWarp;
}

/// Has barriers of a block wait for each lane. The usual ones expect all lanes of a
/// warp at once, and `ptxas` does not bring parts of it together again before each of
/// them: after a `redux.sync` of half a warp, an H100 let lanes pass that others waited
/// for.
static void waitForEachLane(LLVM::LLVMFuncOp kernel) {
  if (!hasAny(kernel, partsWarp))
    return;
  SmallVector<NVVM::Barrier0Op> barriers;
  kernel.walk([&](NVVM::Barrier0Op op) { barriers.push_back(op); });
  for (NVVM::Barrier0Op op : barriers) {
    OpBuilder builder(op);
    Value id = LLVM::ConstantOp::create(builder, op.getLoc(), builder.getI32Type(), 0);
    auto name = builder.getStringAttr("llvm.nvvm.barrier.cta.sync.all");
    LLVM::CallIntrinsicOp::create(builder, op.getLoc(), name, ValueRange(id));
    op.erase();
  }
}

/// Whether an operation is a product of fragments of f64, for which upstream has no op.
static bool isProductOfDoubles(Operation *op) {
  auto code = dyn_cast<LLVM::InlineAsmOp>(op);
  return code && code.getAsmString().starts_with("mma.");
}

/// Kernels that load fragments of f64 get no variants: two numbers of a load are not
/// neighbours in them, and moving them takes more instructions than loads save.
static LogicalResult addVariants(LLVM::LLVMFuncOp kernel) {
  if (hasAny(kernel, isProductOfDoubles) &&
      !hasAny(kernel, llvm::IsaPred<NVVM::CpAsyncOp>))
    return success();
  return addAlignmentVariants(kernel, [](Operation *op) {
    return isa<NVVM::MmaOp>(op) || isProductOfDoubles(op);
  });
}

namespace {
struct ConvertGPUToNVVM final
    : tinytc::impl::ConvertGPUToNVVMPassBase<ConvertGPUToNVVM> {
  using ConvertGPUToNVVMPassBase::ConvertGPUToNVVMPassBase;

  void runOnOperation() override {
    FailureOr<const Target *> target = getTargetOf(getOperation(), "nvidia_gpu");
    if (failed(target))
      return signalPassFailure();
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      LaneMasks masks;
      for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
        passComplexAsVectors(kernel);
        packGroupsIntoBlocks(kernel);
        if (failed(nameRunningLanes(kernel, masks)))
          return signalPassFailure();
      }
      convertGlobals(kernels, kNVVMSpaces.global);
      if (failed(expandFunctions(kernels)) ||
          failed(convertMemory(kernels, (*target)->machines.front(), masks)) ||
          failed(convertRest(kernels)))
        return signalPassFailure();
      SymbolTable symbols(kernels);
      for (auto kernel :
           llvm::make_early_inc_range(kernels.getOps<LLVM::LLVMFuncOp>())) {
        removeDiscardable<SubgroupSize>(kernel);
        requireBlockSize(kernel);
        allowAllRegisters(kernel);
        placeLocalMemory(kernel, symbols, (*target)->maxDeclaredLocalMemoryBytes);
        waitForEachLane(kernel);
        if (failed(addVariants(kernel)))
          return signalPassFailure();
      }
    }
  }

private:
  /// Converts ops that upstream does not: memory, subgroups, functions.
  LogicalResult convertMemory(gpu::GPUModuleOp kernels, const Machine &machine,
                              const LaneMasks &masks) {
    PointerTypeConverter converter(kNVVMSpaces);
    RewritePatternSet patterns(&getContext());
    populatePointerPatterns(converter, patterns);
    populateNVVMMemoryPatterns(converter, patterns);
    populateNVVMAtomicPatterns(converter, patterns, machine);
    populateNVVMExecutionPatterns(converter, patterns);
    populateNVVMExchangePatterns(converter, patterns, masks);
    populateNVVMTensorCorePatterns(converter, patterns, machine);
    populateNVVMFunctionPatterns(converter, patterns);
    populateRemainderPatterns(converter, patterns);
    ConversionTarget target(getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    target.addIllegalDialect<memref::MemRefDialect, nvgpu::NVGPUDialect>();
    target.addIllegalDialect<TinyTCDialect>();
    target.addIllegalOp<
        gpu::BarrierOp, gpu::ShuffleOp, gpu::SubgroupBroadcastOp, gpu::SubgroupReduceOp,
        gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::NumSubgroupsOp, gpu::SubgroupSizeOp,
        math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log1pOp,
        math::Log2Op, math::PowFOp, math::RsqrtOp, math::SinOp, math::CosOp,
        math::TanhOp, arith::RemFOp, arith::MaxNumFOp, arith::MinNumFOp>();
    target.addDynamicallyLegalOp<gpu::GPUFuncOp>([&](gpu::GPUFuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType());
    });
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    return applyPartialConversion(kernels, target, std::move(patterns));
  }

  /// All else, by upstream's patterns.
  LogicalResult convertRest(gpu::GPUModuleOp kernels) {
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(&getContext(), options);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateComplexToLLVMConversionPatterns(converter, patterns);
    // Before the calls of libdevice that upstream makes of them.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/true, /*benefit=*/2);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    return applyFullConversion(kernels, target, std::move(patterns));
  }
};
} // namespace
