//===- Pass.cpp - From the gpu stage to OpenCL SPIR-V ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"
#include "lib/Families/SPIRV/Drivers/Drivers.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/ComplexToSPIRV/ComplexToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CONVERTGPUTOSPIRVPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

using SubgroupSize = TinyTCDialect::SubgroupSizeAttrHelper;

/// Everything that a module for `target` may use; what it does use is determined later.
static spirv::TargetEnvAttr getTargetEnv(TargetAttr target) {
  using spirv::Capability;
  SmallVector<Capability> capabilities = {Capability::Kernel,
                                          Capability::Addresses,
                                          Capability::Linkage,
                                          Capability::Int8,
                                          Capability::Int16,
                                          Capability::Int64,
                                          Capability::Float16,
                                          Capability::Float16Buffer,
                                          Capability::Vector16,
                                          Capability::Groups,
                                          Capability::GroupNonUniform,
                                          Capability::GroupNonUniformArithmetic,
                                          Capability::GroupNonUniformShuffle,
                                          Capability::SubgroupDispatch,
                                          Capability::Int64Atomics,
                                          Capability::AtomicFloat32AddEXT};
  if (target.getF64())
    llvm::append_values(capabilities, Capability::Float64,
                        Capability::AtomicFloat64AddEXT);
  MLIRContext *context = target.getContext();
  auto triple = spirv::VerCapExtAttr::get(
      spirv::Version::V_1_4, capabilities,
      {spirv::Extension::SPV_EXT_shader_atomic_float_add}, context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context),
                                   spirv::ClientAPI::OpenCL);
}

static std::optional<spirv::StorageClass> mapMemorySpace(Attribute space) {
  if (!space)
    return spirv::StorageClass::CrossWorkgroup;
  auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space);
  if (!gpuSpace)
    return spirv::mapMemorySpaceToOpenCLStorageClass(space);
  switch (gpuSpace.getValue()) {
  case gpu::AddressSpace::Workgroup:
    return spirv::StorageClass::Workgroup;
  case gpu::AddressSpace::Private:
    return spirv::StorageClass::Function;
  default:
    return spirv::StorageClass::CrossWorkgroup;
  }
}

/// Gives the kernel the sizes that SPIR-V states as execution modes.
static void setEntryPoint(gpu::GPUFuncOp kernel) {
  IntegerAttr subgroupSize = getDiscardable<SubgroupSize>(kernel);
  std::optional<int> size;
  if (subgroupSize)
    size = subgroupSize.getInt();
  std::optional<ArrayRef<int32_t>> group = kernel.getKnownBlockSize();
  kernel->setAttr(spirv::getEntryPointABIAttrName(),
                  spirv::getEntryPointABIAttr(
                      kernel.getContext(), group.value_or(ArrayRef<int32_t>()), size));
  removeDiscardable<SubgroupSize>(kernel);
}

/// Whether a loop should be unrolled, if that is known. Loops around loops are better
/// left alone (docs/decisions/linalg-stage.md).
static std::optional<spirv::LoopControl> getLoopControl(scf::WhileOp loop) {
  if (std::optional<bool> unroll = getUnroll(loop))
    return *unroll ? spirv::LoopControl::Unroll : spirv::LoopControl::DontUnroll;
  bool isNested = false;
  loop.getAfter().walk([&](scf::WhileOp) { isNested = true; });
  return isNested ? std::optional(spirv::LoopControl::DontUnroll) : std::nullopt;
}

namespace {

/// Gives each spirv.mlir.loop the control of the loop that it is made of. Upstream's
/// pattern drops attributes.
struct LoopControls final : RewriterBase::Listener {
  void notifyPatternBegin(const Pattern &, Operation *op) override { source = op; }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (auto loop = dyn_cast<spirv::LoopOp>(op))
      if (auto from = dyn_cast_or_null<scf::WhileOp>(source))
        loop.setLoopControl(getLoopControl(from).value_or(spirv::LoopControl::None));
  }

  Operation *source = nullptr;
};

struct ConvertGPUToSPIRV final
    : tinytc::impl::ConvertGPUToSPIRVPassBase<ConvertGPUToSPIRV> {
  using ConvertGPUToSPIRVPassBase::ConvertGPUToSPIRVPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    spirv::MemorySpaceToStorageClassConverter spaces(mapMemorySpace);
    for (auto kernels :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>())) {
      spirv::convertMemRefTypesAndAttrs(kernels, spaces);
      kernels.walk([](gpu::GPUFuncOp kernel) { setEntryPoint(kernel); });
      WalkResult shuffles = kernels.walk(
          [](gpu::ShuffleOp op) -> WalkResult { return verifyShuffle(op); });
      if (shuffles.wasInterrupted() || failed(convert(kernels, *target)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult convert(gpu::GPUModuleOp kernels, TargetAttr tinytcTarget) {
    spirv::TargetEnvAttr env = getTargetEnv(tinytcTarget);
    kernels->setAttr(spirv::getTargetEnvAttrName(), env);
    SPIRVConversionOptions options;
    options.use64bitIndex = true;
    SPIRVTypeConverter converter(env, options);
    populateTypeConversions(converter);
    RewritePatternSet patterns(&getContext());
    ScfToSPIRVContext scfContext;
    populateGPUToSPIRVPatterns(converter, patterns);
    arith::populateArithToSPIRVPatterns(converter, patterns);
    populateComplexToSPIRVPatterns(converter, patterns);
    populateMathToSPIRVPatterns(converter, patterns);
    populateMemRefToSPIRVPatterns(converter, patterns);
    populateSCFToSPIRVPatterns(converter, scfContext, patterns);
    populateBuiltinFuncToSPIRVPatterns(converter, patterns);
    populateFuncToSPIRVPatterns(converter, patterns);
    ub::populateUBToSPIRVConversionPatterns(converter, patterns);
    populateDriverPatterns(converter, patterns, tinytcTarget);
    populatePointerPatterns(converter, patterns);
    populateArithmeticPatterns(converter, patterns);
    populateAtomicPatterns(converter, patterns);
    populateFunctionPatterns(converter, patterns);
    populateMatrixUnitPatterns(converter, patterns);
    populateVectorToSPIRVPatterns(converter, patterns);
    populateVectorAccessPatterns(converter, patterns);
    populateExecutionPatterns(converter, patterns);
    std::unique_ptr<ConversionTarget> target = SPIRVConversionTarget::get(env);
    // Capabilities of a module are compared with the target once, when they are known.
    target->addLegalDialect<spirv::SPIRVDialect>();
    // Patterns emit scf.while, which is converted along with its terminators.
    target->addDynamicallyLegalOp<scf::ConditionOp, scf::YieldOp>(
        [](Operation *op) { return isa<scf::WhileOp>(op->getParentOp()); });
    ConversionConfig config;
    // Patterns fail before they change anything: keeping what they replace, to undo it,
    // takes a third of the time.
    config.allowPatternRollback = false;
    LoopControls controls;
    config.listener = &controls;
    return applyFullConversion(kernels, *target, std::move(patterns), config);
  }
};
} // namespace
