//===- Pipelines.cpp - The stages and their passes ------------------------===//

#include "lib/Pipeline/Pipelines.h"
#include "dialect/Passes.h"
#include "dialect/tile/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The end of every stage: constants are folded and equal values shared.
static void addCleanup(OpPassManager &pipeline, bool upliftToFMA = false) {
  pipeline.addPass(createSimplifyCollectivePass({upliftToFMA}));
  pipeline.addPass(createCSEPass());
}

void tinytc::buildPrepare(OpPassManager &pipeline, const PipelineOptions &options) {
  // Tiling leaves indices in affine form.
  pipeline.nest<func::FuncOp>().addPass(createLowerAffinePass());
  pipeline.addPass(createRaiseLinalgPass());
  if (!options.debug)
    pipeline.nest<FuncOp>().addPass(createRemoveAssertionsPass());
  pipeline.addPass(createAttachTargetPass(
      {options.target, options.native, options.registers, options.allowTF32}));
  pipeline.addPass(createDescribeGroupBoundsPass());
  // Other hosts that launch a kernel would not build it for more registers.
  if (options.abi == Abi::Packed)
    pipeline.addPass(createChooseRegistersPass());
  pipeline.addPass(createChooseWorkGroupSizePass({options.abi == Abi::Packed}));
  pipeline.addPass(createChooseStrategiesPass());
  OpPassManager &kernel = pipeline.nest<FuncOp>();
  if (options.debug)
    kernel.addPass(createInsertChecksPass());
  kernel.addPass(createPackOperandsPass());
  kernel.addPass(createAllocateLocalMemoryPass());
  kernel.addPass(createInsertBarriersPass());
  kernel.addPass(createLoopOverGroupsPass());
  pipeline.addPass(createDescribeKernelsPass());
}

static void addPreparedToLinalg(OpPassManager &pipeline) {
  pipeline.addPass(createConvertToLinalgPass());
  addCleanup(pipeline);
}

/// Adds a pass for kernels and for the functions that they call.
static void addKernelPass(OpPassManager &pipeline,
                          function_ref<std::unique_ptr<Pass>()> create) {
  OpPassManager &kernels = pipeline.nest<gpu::GPUModuleOp>();
  kernels.nest<gpu::GPUFuncOp>().addPass(create());
  kernels.nest<func::FuncOp>().addPass(create());
}

static void addDistribution(OpPassManager &pipeline) {
  pipeline.addPass(createDistributeLinalgPass());
  pipeline.addPass(createOutlineKernelsPass());
  pipeline.addPass(createOutlineProductsPass());
  ConvertComplexToStandardPassOptions complexOptions;
  // Division that only overflows if the quotient does.
  complexOptions.complexRange = complex::ComplexRangeFlags::improved;
  pipeline.addPass(createConvertComplexToStandardPass(complexOptions));
  addKernelPass(pipeline, [] { return createSeparateBlockLoadsPass(); });
  addKernelPass(pipeline, [] { return createUnrollLoopsPass(); });
  addCleanup(pipeline, /*upliftToFMA=*/true);
}

static void addGPUToSPIRV(OpPassManager &pipeline) {
  pipeline.addPass(createLowerMatrixProductsPass());
  addKernelPass(pipeline, [] { return createNarrowLoopsPass(); });
  addKernelPass(pipeline, [] { return createConvertCountingLoopsPass(); });
  pipeline.addPass(createConvertGPUToSPIRVPass());
  OpPassManager &module = pipeline.nest<spirv::ModuleOp>();
  module.addPass(spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(spirv::createSPIRVUpdateVCEPass());
  pipeline.addPass(createFinalizeSPIRVPass());
}

static void addGPUToNVVM(OpPassManager &pipeline) {
  pipeline.addPass(createConvertGPUToNVVMPass());
  pipeline.addPass(createCSEPass());
}

/// Canonical IR is shorter: vectors of constants, masks that are known.
static void addGPUToVector(OpPassManager &pipeline) {
  pipeline.addPass(createConvertGPUToVectorPass());
  pipeline.addPass(createCanonicalizerPass());
  pipeline.addPass(createCSEPass());
}

static void addVectorToLLVM(OpPassManager &pipeline) {
  pipeline.addPass(createConvertVectorToLLVMPass());
  pipeline.addPass(createCSEPass());
}

/// The passes after one stage up to another.
static void addNativeStages(OpPassManager &pipeline, NativeStage from, NativeStage to) {
  auto passes = [&](NativeStage stage) { return from < stage && stage <= to; };
  if (passes(NativeStage::Vector))
    addGPUToVector(pipeline);
  if (passes(NativeStage::LLVM))
    addVectorToLLVM(pipeline);
  if (passes(NativeStage::Object))
    pipeline.addPass(createSerializeToObjectPass());
}

void tinytc::buildContinuation(OpPassManager &pipeline, Stage from, Stage to) {
  auto passes = [&](Stage stage) { return from < stage && stage <= to; };
  pipeline.addPass(createRequireKernelsPass());
  // What was printed may have been tiled since.
  if (from == Stage::Linalg)
    pipeline.nest<func::FuncOp>().addPass(createLowerAffinePass());
  if (passes(Stage::Linalg))
    addPreparedToLinalg(pipeline);
  if (passes(Stage::GPU))
    addDistribution(pipeline);
  if (to == Stage::SPIRV)
    return addGPUToSPIRV(pipeline);
  if (passes(Stage::NVVM))
    addGPUToNVVM(pipeline);
  if (passes(Stage::PTX))
    pipeline.addPass(createSerializeToPTXPass());
}

void tinytc::buildNativeContinuation(OpPassManager &pipeline, Stage from,
                                     NativeStage to) {
  if (from < Stage::GPU)
    buildContinuation(pipeline, from, Stage::GPU);
  else
    pipeline.addPass(createRequireKernelsPass());
  addNativeStages(pipeline, NativeStage::GPU, to);
}

void tinytc::buildLowerToLinalg(OpPassManager &pipeline,
                                const PipelineOptions &options) {
  buildPrepare(pipeline, options);
  addPreparedToLinalg(pipeline);
}

void tinytc::buildLowerToGPU(OpPassManager &pipeline, const PipelineOptions &options) {
  buildLowerToLinalg(pipeline, options);
  addDistribution(pipeline);
}

void tinytc::buildLowerToSPIRV(OpPassManager &pipeline,
                               const PipelineOptions &options) {
  buildLowerToGPU(pipeline, options);
  addGPUToSPIRV(pipeline);
}

void tinytc::buildLowerToNVVM(OpPassManager &pipeline, const PipelineOptions &options) {
  buildLowerToGPU(pipeline, options);
  addGPUToNVVM(pipeline);
}

void tinytc::buildLowerToPTX(OpPassManager &pipeline, const PipelineOptions &options) {
  buildLowerToNVVM(pipeline, options);
  pipeline.addPass(createSerializeToPTXPass());
}

template <NativeStage to>
static void buildLowerToNative(OpPassManager &pipeline,
                               const PipelineOptions &options) {
  buildLowerToGPU(pipeline, options);
  addNativeStages(pipeline, NativeStage::GPU, to);
}

void tinytc::buildLowerToTile(OpPassManager &pipeline, const TileOptions &options) {
  pipeline.nest<func::FuncOp>().addPass(createLowerAffinePass());
  pipeline.addPass(createRaiseLinalgPass());
  pipeline.nest<FuncOp>().addPass(createRemoveAssertionsPass());
  pipeline.addPass(createConvertToTilePass({options.aligned, options.variants}));
  pipeline.addPass(createCSEPass());
}

template <void (*build)(OpPassManager &, const PipelineOptions &)>
static void registerPipeline(StringRef name, StringRef description) {
  static PassPipelineRegistration<PipelineOptions> registration(name, description,
                                                                build);
}

template <Stage from, Stage to>
static void registerContinuation(StringRef name, StringRef description) {
  static PassPipelineRegistration<> registration(
      name, description,
      [](OpPassManager &pipeline) { buildContinuation(pipeline, from, to); });
}

template <Stage from, NativeStage to>
static void registerNativeContinuation(StringRef name, StringRef description) {
  static PassPipelineRegistration<> registration(
      name, description,
      [](OpPassManager &pipeline) { buildNativeContinuation(pipeline, from, to); });
}

template <NativeStage from, NativeStage to>
static void registerNativeEnd(StringRef name, StringRef description) {
  static PassPipelineRegistration<> registration(
      name, description, [](OpPassManager &pipeline) {
        pipeline.addPass(createRequireKernelsPass());
        addNativeStages(pipeline, from, to);
      });
}

/// The way to machine code of a processor.
static void registerNativePipelines() {
  using N = NativeStage;
  registerNativeContinuation<Stage::Prepared, N::Vector>(
      "prepared-to-vector", "Lower the output of --prepare to vectors");
  registerNativeContinuation<Stage::Linalg, N::Vector>(
      "linalg-to-vector", "Lower the output of --lower-to-linalg to vectors");
  registerNativeContinuation<Stage::GPU, N::Vector>(
      "gpu-to-vector", "Lower the output of --lower-to-gpu to vectors");
  registerNativeContinuation<Stage::Prepared, N::LLVM>(
      "prepared-to-llvm-dialect", "Lower the output of --prepare to the llvm dialect");
  registerNativeContinuation<Stage::Linalg, N::LLVM>(
      "linalg-to-llvm-dialect",
      "Lower the output of --lower-to-linalg to the llvm dialect");
  registerNativeContinuation<Stage::GPU, N::LLVM>(
      "gpu-to-llvm-dialect", "Lower the output of --lower-to-gpu to the llvm dialect");
  registerNativeContinuation<Stage::Prepared, N::Object>(
      "prepared-to-object", "Lower the output of --prepare to an object file");
  registerNativeContinuation<Stage::Linalg, N::Object>(
      "linalg-to-object", "Lower the output of --lower-to-linalg to an object file");
  registerNativeContinuation<Stage::GPU, N::Object>(
      "gpu-to-object", "Lower the output of --lower-to-gpu to an object file");
  registerNativeEnd<N::Vector, N::LLVM>(
      "vector-to-llvm-dialect",
      "Lower the output of --lower-to-vector to the llvm dialect");
  registerNativeEnd<N::Vector, N::Object>(
      "vector-to-object", "Lower the output of --lower-to-vector to an object file");
  registerNativeEnd<N::LLVM, N::Object>(
      "llvm-dialect-to-object",
      "Lower the output of --lower-to-llvm-dialect to an object file");
  registerPipeline<buildLowerToNative<N::Vector>>(
      "lower-to-vector",
      "Lower kernels to functions in which a work-group is a vector");
  registerPipeline<buildLowerToNative<N::LLVM>>(
      "lower-to-llvm-dialect", "Lower kernels to functions of the llvm dialect");
  registerPipeline<buildLowerToNative<N::Object>>("lower-to-object",
                                                  "Lower kernels to an object file");
}

void tinytc::registerPipelines() {
  registerNativePipelines();
  registerContinuation<Stage::Prepared, Stage::Linalg>(
      "prepared-to-linalg", "Lower the output of --prepare to linalg");
  registerContinuation<Stage::Prepared, Stage::GPU>(
      "prepared-to-gpu", "Lower the output of --prepare to gpu.func");
  registerContinuation<Stage::Prepared, Stage::SPIRV>(
      "prepared-to-spirv", "Lower the output of --prepare to SPIR-V");
  registerContinuation<Stage::Linalg, Stage::GPU>(
      "linalg-to-gpu", "Lower the output of --lower-to-linalg to gpu.func");
  registerContinuation<Stage::Linalg, Stage::SPIRV>(
      "linalg-to-spirv", "Lower the output of --lower-to-linalg to SPIR-V");
  registerContinuation<Stage::GPU, Stage::SPIRV>(
      "gpu-to-spirv", "Lower the output of --lower-to-gpu to SPIR-V");
  registerContinuation<Stage::Prepared, Stage::NVVM>(
      "prepared-to-nvvm", "Lower the output of --prepare to NVVM");
  registerContinuation<Stage::Linalg, Stage::NVVM>(
      "linalg-to-nvvm", "Lower the output of --lower-to-linalg to NVVM");
  registerContinuation<Stage::GPU, Stage::NVVM>(
      "gpu-to-nvvm", "Lower the output of --lower-to-gpu to NVVM");
  registerContinuation<Stage::Prepared, Stage::PTX>(
      "prepared-to-ptx", "Lower the output of --prepare to PTX");
  registerContinuation<Stage::Linalg, Stage::PTX>(
      "linalg-to-ptx", "Lower the output of --lower-to-linalg to PTX");
  registerContinuation<Stage::GPU, Stage::PTX>(
      "gpu-to-ptx", "Lower the output of --lower-to-gpu to PTX");
  registerContinuation<Stage::NVVM, Stage::PTX>(
      "nvvm-to-ptx", "Lower the output of --lower-to-nvvm to PTX");
  registerPipeline<buildPrepare>(
      "prepare", "Attach the target, choose work-group sizes, insert barriers");
  registerPipeline<buildLowerToLinalg>("lower-to-linalg",
                                       "Lower kernels to linalg, scf and arith");
  registerPipeline<buildLowerToGPU>("lower-to-gpu",
                                    "Lower kernels to gpu.func, one work-item each");
  registerPipeline<buildLowerToSPIRV>("lower-to-spirv",
                                      "Lower kernels to an OpenCL spirv.module");
  registerPipeline<buildLowerToNVVM>("lower-to-nvvm",
                                     "Lower kernels to the llvm and nvvm dialects");
  registerPipeline<buildLowerToPTX>("lower-to-ptx", "Lower kernels to PTX");
  static PassPipelineRegistration<TileOptions> tile(
      "lower-to-tile", "Lower kernels to programs on tiles", buildLowerToTile);
}
