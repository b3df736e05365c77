//===- Stages.cpp - From the gpu stage to PTX -----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/Stages.h"
#include "dialect/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;

static void addGPUToNVVM(OpPassManager &pipeline) {
  pipeline.addPass(createConvertGPUToNVVMPass());
  pipeline.addPass(createCSEPass());
}

static void addNVVMToPTX(OpPassManager &pipeline) {
  pipeline.addPass(createSerializeToPTXPass());
}

ArrayRef<Stage> tinytc::getNVIDIAStages() {
  static constexpr Stage stages[] = {
      {"nvvm", "NVVM", "Lower kernels to the llvm and nvvm dialects", addGPUToNVVM},
      {"ptx", "PTX", "Lower kernels to PTX", addNVVMToPTX}};
  return stages;
}
