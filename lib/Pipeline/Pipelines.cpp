//===- Pipelines.cpp - The stages and their passes ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/Pipelines.h"
#include "dialect/Passes.h"
#include "lib/Families/Family.h"
#include "lib/Families/KernelPasses.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// How a launch passes the number of groups.
enum class Abi { Plain, Packed };

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("Name of the target to lower for"),
                             llvm::cl::init("cpu")};
  Option<bool> native{
      *this, "native",
      llvm::cl::desc("Tune for the vector registers of the host processor"),
      llvm::cl::init(false)};
  Option<int64_t> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc(
          "Bytes of a vector register that schedules are for; 0: typical for "
          "the target"),
      llvm::cl::init(0)};
  Option<int64_t> registers{
      *this, "registers",
      llvm::cl::desc(
          "Registers of a thread; 0: chosen for the kernels with abi=packed, "
          "else the usual number"),
      llvm::cl::init(0)};
  Option<bool> allowTF32{
      *this, "allow-tf32",
      llvm::cl::desc("Let products of f32 ignore the last 13 bits of the factors"),
      llvm::cl::init(false)};
  Option<bool> debug{*this, "debug",
                     llvm::cl::desc("Check what the language leaves undefined"),
                     llvm::cl::init(false)};
  Option<Abi> abi{
      *this, "abi", llvm::cl::desc("Parameters of a kernel"),
      llvm::cl::init(Abi::Plain),
      llvm::cl::values(
          clEnumValN(Abi::Plain, "plain", "one work-group runs one group"),
          clEnumValN(Abi::Packed, "packed",
                     "small groups share a work-group; their number is one more "
                     "parameter"))};
};

} // namespace

/// The end of every stage: constants are folded and equal values shared.
static void addCleanup(OpPassManager &pipeline, bool upliftToFMA = false) {
  pipeline.addPass(createSimplifyCollectivePass({upliftToFMA}));
  pipeline.addPass(createCSEPass());
}

/// Tiling leaves indices and loops in affine form, and so does the normalization of
/// loops.
static void addAffineLowering(OpPassManager &pipeline) {
  pipeline.nest<func::FuncOp>().addPass(createLowerAffinePass());
}

static void addPrepare(OpPassManager &pipeline, const PipelineOptions &options) {
  addAffineLowering(pipeline);
  pipeline.addPass(createRaiseLinalgPass());
  if (!options.debug)
    pipeline.nest<FuncOp>().addPass(createRemoveAssertionsPass());
  pipeline.addPass(
      createAttachTargetPass({options.target, options.native, options.vectorBytes,
                              options.registers, options.allowTF32}));
  pipeline.addPass(createDescribeGroupBoundsPass());
  pipeline.nest<FuncOp>().addPass(createCheckZerosPass());
  if (!options.debug)
    pipeline.nest<FuncOp>().addPass(createScalarizeKernelsPass());
  pipeline.nest<FuncOp>().addPass(createExpandFactorizationsPass());
  if (!options.debug)
    pipeline.nest<FuncOp>().addPass(createRemoveAssertionsPass());
  pipeline.nest<FuncOp>().addPass(createSkipZerosPass({!options.debug}));
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

static void addDistribution(OpPassManager &pipeline) {
  addAffineLowering(pipeline);
  pipeline.addPass(createNormalizeLinalgPass());
  addAffineLowering(pipeline);
  pipeline.addPass(createChooseStrategiesPass());
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

/// The stages of all families after --prepare.
static constexpr Stage kCommonStages[] = {
    {"linalg", "linalg", "func.func", "linalg",
     "Lower kernels to linalg, scf and arith", addPreparedToLinalg},
    {"gpu", "gpu", "gpu.func", "gpu.func",
     "Lower kernels to gpu.func, one work-item each", addDistribution}};

static void addStages(OpPassManager &pipeline, ArrayRef<Stage> stages) {
  for (const Stage &stage : stages)
    stage.addPasses(pipeline);
}

/// Registers the pipeline from the language through all of the stages.
static void registerLowering(ArrayRef<Stage> stages) {
  const Stage &last = stages.back();
  auto build = [stages = llvm::to_vector(stages)](OpPassManager &pipeline,
                                                  const PipelineOptions &options) {
    addPrepare(pipeline, options);
    addStages(pipeline, stages);
  };
  PassPipelineRegistration<PipelineOptions>(("lower-to-" + last.pipeline).str(),
                                            last.summary, build);
}

/// Registers the pipeline from a printed module of the first stage, of --prepare if
/// there is none, through the others.
static void registerContinuation(const Stage *first, ArrayRef<Stage> others) {
  const Stage &last = others.back();
  StringRef name = first ? first->pipeline : "prepared";
  std::string input = first ? ("lower-to-" + name).str() : "prepare";
  std::string description =
      ("Lower the output of --" + input + " to " + last.code).str();
  auto build = [others = llvm::to_vector(others)](OpPassManager &pipeline) {
    pipeline.addPass(createRequireKernelsPass());
    addStages(pipeline, others);
  };
  PassPipelineRegistration<>((name + "-to-" + last.pipeline).str(), description, build);
}

/// Registers the pipelines to the stages from `first` on, from each one before.
static void registerStages(ArrayRef<Stage> stages, size_t first) {
  for (size_t last = first; last < stages.size(); ++last) {
    ArrayRef<Stage> way = stages.take_front(last + 1);
    registerLowering(way);
    registerContinuation(nullptr, way);
    for (size_t begin = 0; begin < last; ++begin)
      registerContinuation(&stages[begin], way.drop_front(begin + 1));
  }
}

void tinytc::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "prepare", "Attach the target, choose work-group sizes, insert barriers",
      addPrepare);
  registerStages(kCommonStages, 0);
  for (const Family &family : getFamilies()) {
    if (family.registerPipelines) {
      family.registerPipelines();
      continue;
    }
    SmallVector<Stage> stages(std::begin(kCommonStages), std::end(kCommonStages));
    llvm::append_range(stages, family.stages);
    registerStages(stages, std::size(kCommonStages));
  }
}

void tinytc::registerFamilies() {
  static std::once_flag once;
  std::call_once(once, [] {
#define TINYTC_FAMILY(NAME) registerFamily(make##NAME##Family());
#include "lib/Families/Families.def"
#undef TINYTC_FAMILY
  });
}

llvm::json::Array tinytc::describeFamilies() {
  llvm::json::Array families;
  for (const Family &family : getFamilies()) {
    llvm::json::Array targets, stages;
    for (const Target &target : family.targets)
      targets.push_back(target.name);
    auto add = [&](const Stage &stage) {
      stages.push_back(llvm::json::Object{
          {"name", stage.name}, {"pipeline", stage.pipeline}, {"op", stage.op}});
    };
    if (!family.registerPipelines)
      llvm::for_each(kCommonStages, add);
    llvm::for_each(family.stages, add);
    families.push_back(llvm::json::Object{{"name", family.name},
                                          {"format", family.format},
                                          {"targets", std::move(targets)},
                                          {"stages", std::move(stages)}});
  }
  return families;
}
