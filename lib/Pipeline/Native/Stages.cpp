//===- Stages.cpp - From the gpu stage to code of a processor -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/Stages.h"
#include "dialect/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Canonical IR is shorter: vectors of constants, masks that are known.
static void addGPUToVector(OpPassManager &pipeline) {
  pipeline.addPass(createConvertGPUToVectorPass());
  pipeline.addPass(createCSEPass());
  pipeline.addPass(createSimplifyLoopsPass());
  pipeline.addPass(createCanonicalizerPass());
  pipeline.addPass(createCSEPass());
}

static void addVectorToLLVM(OpPassManager &pipeline) {
  pipeline.addPass(createConvertVectorToLLVMPass());
  pipeline.addPass(createCSEPass());
}

static void addLLVMToObject(OpPassManager &pipeline) {
  pipeline.addPass(createSerializeToObjectPass());
}

ArrayRef<Stage> tinytc::getNativeStages() {
  static constexpr Stage stages[] = {
      {"vector", "vectors",
       "Lower kernels to functions in which a work-group is a vector", addGPUToVector},
      {"llvm-dialect", "the llvm dialect",
       "Lower kernels to functions of the llvm dialect", addVectorToLLVM},
      {"object", "an object file", "Lower kernels to an object file", addLLVMToObject}};
  return stages;
}
