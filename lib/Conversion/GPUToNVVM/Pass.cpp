//===- Pass.cpp - From the gpu stage to NVVM ------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/ModuleTarget.h"
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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "llvm/ADT/SetVector.h"

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

/// Local memory that is more than a kernel may declare becomes the launch's to provide.
/// The manifest says how much there is.
static void placeLocalMemory(LLVM::LLVMFuncOp kernel, const SymbolTable &symbols,
                             int64_t maxDeclaredBytes) {
  SmallVector<LLVM::GlobalOp> buffers = getLocalBuffers(kernel, symbols);
  int64_t bytes = 0;
  for (LLVM::GlobalOp buffer : buffers)
    bytes += getPaddedBytes(buffer);
  if (bytes > maxDeclaredBytes)
    makeDynamic(kernel, buffers);
  DictionaryAttr known = getDiscardable<Manifest>(kernel);
  if (!known)
    return;
  Builder builder(kernel.getContext());
  NamedAttrList entries(known);
  entries.set("local_memory_bytes", builder.getI64IntegerAttr(bytes));
  setDiscardable<Manifest>(kernel, entries.getDictionary(kernel.getContext()));
}

/// Alignment in bytes of what a work-item loads at once, at most.
static constexpr int64_t kVectorBytes = 16;

namespace {
/// A memref parameter of a kernel.
struct PointerParameter {
  unsigned index;
  /// What the program promises; 0 for nothing.
  int64_t alignment;
  /// Whether the kernel reads elements and writes none.
  bool isOnlyRead;
};
} // namespace

static bool hasAccess(DictionaryAttr argument, ArrayRef<StringRef> kinds) {
  auto access = argument.getAs<StringAttr>("access");
  return access && llvm::is_contained(kinds, access.getValue());
}

/// The memref parameters of a kernel, by its manifest and the kernel ABI; members of
/// groups are not among them. Fails if the manifest is not one of this kernel.
static FailureOr<SmallVector<PointerParameter>>
getPointerParameters(LLVM::LLVMFuncOp kernel, ArrayAttr arguments) {
  SmallVector<PointerParameter> pointers;
  unsigned next = 0;
  // A number that is only known at the launch is a parameter of its own.
  auto countUnknown = [](Attribute value) -> unsigned {
    auto list = dyn_cast_or_null<ArrayAttr>(value);
    return list ? llvm::count_if(list, llvm::IsaPred<UnitAttr>)
                : isa_and_nonnull<UnitAttr>(value);
  };
  for (Attribute entry : arguments) {
    auto argument = dyn_cast<DictionaryAttr>(entry);
    auto kind = argument ? argument.getAs<StringAttr>("kind") : StringAttr();
    if (!kind || next >= kernel.getNumArguments())
      return failure();
    if (kind == "memref") {
      auto alignment = argument.getAs<IntegerAttr>("alignment");
      pointers.push_back({next, alignment ? alignment.getValue().getSExtValue() : 0,
                          hasAccess(argument, {"read"})});
      if (!isa<LLVM::LLVMPointerType>(kernel.getArgumentTypes()[next]) ||
          (alignment && !alignment.getValue().isPowerOf2()))
        return failure();
    }
    ++next;
    if (kind != "scalar")
      for (StringRef sizes : {"shape", "stride"})
        next += countUnknown(argument.get(sizes));
    if (kind == "group")
      for (StringRef sizes : {"size", "offset"})
        next += countUnknown(argument.get(sizes));
  }
  return pointers;
}

static void setAlignment(LLVM::LLVMFuncOp kernel, unsigned parameter, int64_t bytes) {
  Builder builder(kernel.getContext());
  kernel.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(bytes));
}

/// Whether a kernel writes members of a group, whose places no launch looks at.
static bool writesGroups(ArrayAttr arguments) {
  return llvm::any_of(arguments.getAsRange<DictionaryAttr>(), [](DictionaryAttr entry) {
    auto kind = entry.getAs<StringAttr>("kind");
    return kind && kind == "group" && hasAccess(entry, {"write", "read_write"});
  });
}

/// Promises that nothing is written where the kernel reads through these pointers: LLVM
/// then loads what is adjacent at once, and through the cache for constants. What is
/// written gets no promise. LLVM would take it to hold for other lanes as well, whose
/// stores are visible after a barrier.
static void promiseNoOverlap(LLVM::LLVMFuncOp kernel,
                             ArrayRef<PointerParameter> pointers) {
  for (PointerParameter pointer : pointers)
    if (pointer.isOnlyRead)
      kernel.setArgAttr(pointer.index, LLVM::LLVMDialect::getNoAliasAttrName(),
                        UnitAttr::get(kernel.getContext()));
}

/// Whether an operation is a product of fragments of f64, for which upstream has no op.
static bool isProductOfDoubles(Operation *op) {
  auto code = dyn_cast<LLVM::InlineAsmOp>(op);
  return code && code.getAsmString().starts_with("mma.");
}

/// Whether any operation of a kernel is one of `isChosen`.
static bool hasAny(LLVM::LLVMFuncOp kernel, function_ref<bool(Operation *)> isChosen) {
  return kernel
      .walk([&](Operation *op) {
        return isChosen(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a kernel adds up products in registers. Loads that LLVM may move over the
/// stores after such sums take registers away from them, and ptxas then spills.
static bool hasSums(LLVM::LLVMFuncOp kernel) {
  return hasAny(kernel, [](Operation *op) {
    auto sum = dyn_cast<LLVM::FMAOp>(op);
    if (!sum)
      return isa<NVVM::MmaOp>(op);
    auto argument = dyn_cast<BlockArgument>(sum.getC());
    bool isCarried = argument && !argument.getOwner()->isEntryBlock();
    return isCarried || sum.getC().getDefiningOp<LLVM::FMAOp>();
  });
}

/// Tells LLVM what is promised of pointers. A kernel with products gets a variant for
/// arrays that begin at a multiple of 16 bytes, so that four numbers of f32 are one
/// load, and of which those that are written do not overlap those that are only read;
/// the latter is not promised to kernels with sums, and the manifest says so. A launch
/// that finds what is promised to hold takes the variant that the manifest names. There
/// is none for fragments of f64 that are multiplied at once: two numbers of a load are
/// not neighbours in them, and moving them takes more instructions than loads save.
static LogicalResult specializePointers(LLVM::LLVMFuncOp kernel) {
  DictionaryAttr manifest = getDiscardable<Manifest>(kernel);
  auto arguments = manifest ? manifest.getAs<ArrayAttr>("arguments") : ArrayAttr();
  if (!arguments)
    return success();
  FailureOr<SmallVector<PointerParameter>> pointers =
      getPointerParameters(kernel, arguments);
  if (failed(pointers))
    return kernel.emitError("expected '")
           << Manifest::getNameStr() << "' to describe the parameters of '"
           << kernel.getName() << "', got " << arguments;
  bool mayOverlap = writesGroups(arguments) || hasSums(kernel);
  bool gains = false;
  for (PointerParameter pointer : *pointers) {
    gains |= pointer.alignment < kVectorBytes || (pointer.isOnlyRead && !mayOverlap);
    if (pointer.alignment > 0)
      setAlignment(kernel, pointer.index, pointer.alignment);
  }
  bool isDebug = manifest.contains("checks");
  bool hasProducts = hasAny(kernel, llvm::IsaPred<LLVM::FMAOp, NVVM::MmaOp>);
  if (!gains || isDebug || !hasProducts || hasAny(kernel, isProductOfDoubles))
    return success();
  std::string name = (kernel.getName() + "__aligned").str();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  auto variant = cast<LLVM::LLVMFuncOp>(builder.clone(*kernel));
  variant.setName(name);
  removeDiscardable<Manifest>(variant);
  for (PointerParameter pointer : *pointers)
    setAlignment(variant, pointer.index, std::max(pointer.alignment, kVectorBytes));
  if (!mayOverlap)
    promiseNoOverlap(variant, *pointers);
  NamedAttrList entries(manifest);
  entries.set("aligned_variant", builder.getStringAttr(name));
  if (mayOverlap)
    entries.set("variant_may_overlap", builder.getBoolAttr(true));
  setDiscardable<Manifest>(kernel, entries.getDictionary(kernel.getContext()));
  return success();
}

namespace {
struct ConvertGPUToNVVM final
    : tinytc::impl::ConvertGPUToNVVMPassBase<ConvertGPUToNVVM> {
  using ConvertGPUToNVVMPassBase::ConvertGPUToNVVMPassBase;

  void runOnOperation() override {
    FailureOr<const Target *> target = getPTXTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
        passComplexAsVectors(kernel);
        putGroupsSideBySide(kernel);
      }
      if (failed(convertMemory(kernels, (*target)->machines.front())) ||
          failed(convertRest(kernels)))
        return signalPassFailure();
      SymbolTable symbols(kernels);
      for (auto kernel :
           llvm::make_early_inc_range(kernels.getOps<LLVM::LLVMFuncOp>())) {
        removeDiscardable<SubgroupSize>(kernel);
        requireBlockSize(kernel);
        placeLocalMemory(kernel, symbols, (*target)->maxDeclaredLocalMemoryBytes);
        if (failed(specializePointers(kernel)))
          return signalPassFailure();
      }
    }
  }

private:
  /// What upstream lacks: memory, subgroups, functions.
  LogicalResult convertMemory(gpu::GPUModuleOp kernels, const Machine &machine) {
    PointerTypeConverter converter;
    RewritePatternSet patterns(&getContext());
    populatePointerPatterns(converter, patterns);
    populateNVVMAtomicPatterns(converter, patterns);
    populateNVVMExecutionPatterns(converter, patterns);
    populateNVVMTensorCorePatterns(converter, patterns, machine);
    populateNVVMFunctionPatterns(converter, patterns);
    ConversionTarget target(getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    target.addIllegalDialect<memref::MemRefDialect>();
    target.addIllegalDialect<TinyTCDialect>();
    target.addIllegalOp<
        gpu::BarrierOp, gpu::ShuffleOp, gpu::SubgroupBroadcastOp, gpu::SubgroupReduceOp,
        gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::NumSubgroupsOp, gpu::SubgroupSizeOp,
        math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SinOp, math::CosOp,
        arith::RemFOp, arith::MaxNumFOp, arith::MinNumFOp>();
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
