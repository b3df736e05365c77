//===- Stages.cpp - From the gpu stage to SPIR-V --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/Stages.h"
#include "dialect/Passes.h"
#include "lib/Pipeline/KernelPasses.h"

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
  pipeline.addPass(createConvertGPUToSPIRVPass());
  pipeline.addPass(createShareAddressesPass());
  pipeline.addPass(createKeepCallsPass());
  OpPassManager &module = pipeline.nest<spirv::ModuleOp>();
  module.addPass(spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(spirv::createSPIRVUpdateVCEPass());
  pipeline.addPass(createFinalizeSPIRVPass());
}

ArrayRef<Stage> tinytc::getSPIRVStages() {
  static constexpr Stage stages[] = {
      {"spirv", "SPIR-V", "Lower kernels to an OpenCL spirv.module", addGPUToSPIRV}};
  return stages;
}
