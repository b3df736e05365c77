//===- Pipelines.cpp - The stages and their passes ------------------------===//

#include "lib/Pipeline/Pipelines.h"
#include "dialect/Passes.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;

/// What every stage ends with: constants folded, equal values shared.
static void addCleanup(OpPassManager &pipeline) {
  pipeline.addPass(createSimplifyCollectivePass());
  pipeline.addPass(createCSEPass());
}

void tinytc::buildPrepare(OpPassManager &pipeline, StringRef target) {
  pipeline.addPass(createAttachTargetPass({target.str()}));
  pipeline.addPass(createChooseWorkGroupSizePass());
  OpPassManager &kernel = pipeline.nest<FuncOp>();
  kernel.addPass(createAllocateLocalMemoryPass());
  kernel.addPass(createInsertBarriersPass());
}

static void addPreparedToLinalg(OpPassManager &pipeline) {
  pipeline.addPass(createConvertTinyTCToLinalgPass());
  addCleanup(pipeline);
}

static void addLinalgToGPU(OpPassManager &pipeline) {
  pipeline.addPass(createDistributeLinalgPass());
  pipeline.addPass(createOutlineKernelsPass());
  ConvertComplexToStandardPassOptions complexOptions;
  // Division that overflows only where the quotient does.
  complexOptions.complexRange = complex::ComplexRangeFlags::improved;
  pipeline.addPass(createConvertComplexToStandardPass(complexOptions));
  addCleanup(pipeline);
  pipeline.addPass(math::createMathUpliftToFMA());
}

static void addGPUToSPIRV(OpPassManager &pipeline) {
  // Upstream's conversion of scf.for loses the initial values of a loop that never runs.
  pipeline.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>().addPass(
      createForToWhileLoopPass());
  pipeline.addPass(createConvertGPUToSPIRVPass());
  OpPassManager &module = pipeline.nest<spirv::ModuleOp>();
  module.addPass(spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(spirv::createSPIRVUpdateVCEPass());
  pipeline.addPass(createFinalizeSPIRVPass());
}

void tinytc::buildLowerToLinalg(OpPassManager &pipeline, StringRef target) {
  buildPrepare(pipeline, target);
  addPreparedToLinalg(pipeline);
}

void tinytc::buildLowerToGPU(OpPassManager &pipeline, StringRef target) {
  buildLowerToLinalg(pipeline, target);
  addLinalgToGPU(pipeline);
}

void tinytc::buildLowerToSPIRV(OpPassManager &pipeline, StringRef target) {
  buildLowerToGPU(pipeline, target);
  addGPUToSPIRV(pipeline);
}

template <void (*build)(OpPassManager &, StringRef)>
static void registerPipeline(StringRef name, StringRef description) {
  static PassPipelineRegistration<PipelineOptions> registration(
      name, description, [](OpPassManager &pipeline, const PipelineOptions &options) {
        build(pipeline, options.target);
      });
}

void tinytc::registerPipelines() {
  registerPipeline<buildPrepare>(
      "prepare", "Attach the target, choose work-group sizes, insert barriers");
  registerPipeline<buildLowerToLinalg>("lower-to-linalg",
                                       "Lower kernels to linalg, scf and arith");
  registerPipeline<buildLowerToGPU>("lower-to-gpu",
                                    "Lower kernels to gpu.func, one work-item each");
  registerPipeline<buildLowerToSPIRV>("lower-to-spirv",
                                      "Lower kernels to an OpenCL spirv.module");
}
