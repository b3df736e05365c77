//===- SPIRV.cpp - CPUs and GPUs of Intel, whose drivers take SPIR-V ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Families/Family.h"
#include "lib/Families/KernelPasses.h"
#include "lib/Families/SPIRV/Serialize.h"
#include "lib/Families/SPIRV/Targets.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;

static void addGPUToSPIRV(OpPassManager &pipeline) {
  pipeline.addPass(createLowerMatrixProductsPass());
  addKernelPass(pipeline, [] { return createNarrowLoopsPass(); });
  addKernelPass(pipeline, [] { return createConvertCountingLoopsPass(); });
  pipeline.addPass(createFoldSharedExchangesPass());
  pipeline.addPass(createHideNegationsPass());
  pipeline.addPass(createHideFirstLanesPass());
  pipeline.addPass(createExpandBF16Pass());
  pipeline.addPass(createGatherPairsPass());
  pipeline.addPass(createHideLaneStridesPass());
  pipeline.addPass(createOutlineAtomicsPass());
  pipeline.addPass(createConvertGPUToSPIRVPass());
  pipeline.addPass(createShareAddressesPass());
  pipeline.addPass(createKeepCallsPass());
  OpPassManager &module = pipeline.nest<spirv::ModuleOp>();
  module.addPass(spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(spirv::createSPIRVUpdateVCEPass());
  pipeline.addPass(createFinalizeSPIRVPass());
}

static FailureOr<Code> emit(ModuleOp lowered, bool withLines) {
  FailureOr<spirv::ModuleOp> module = getOnly<spirv::ModuleOp>(lowered);
  if (failed(module))
    return failure();
  FailureOr<llvm::json::Array> kernels = describeKernels(*module);
  if (failed(kernels))
    return failure();
  FailureOr<std::string> bytes = serializeSPIRV(*module, withLines);
  if (failed(bytes))
    return failure();
  return Code{std::move(*bytes), std::move(*kernels)};
}

Family tinytc::makeSPIRVFamily() {
  Family family;
  family.name = "spirv";
  family.targets = {makeCpu(), makeIntelPvc(), makeIntelDg2(), makeIntelBmg()};
  family.stages = {{"spirv", "spirv", "spirv.module", "SPIR-V",
                    "Lower kernels to an OpenCL spirv.module", addGPUToSPIRV}};
  family.format = "spirv";
  family.emit = emit;
  return family;
}
