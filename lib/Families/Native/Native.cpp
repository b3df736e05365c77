//===- Native.cpp - Processors that LLVM compiles for ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Families/Family.h"
#include "lib/Families/KernelTable.h"
#include "lib/Families/Native/Targets.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Canonical IR is shorter: vectors of constants, masks that are known.
static void addGPUToVector(OpPassManager &pipeline) {
  pipeline.addPass(createLoopOverSubgroupsPass());
  pipeline.addPass(createConvertGPUToVectorPass());
  pipeline.addPass(createCSEPass());
  pipeline.addPass(createSimplifyLoopsPass());
  pipeline.addPass(createCSEPass());
}

static void addVectorToLLVM(OpPassManager &pipeline) {
  pipeline.addPass(createConvertVectorToLLVMPass());
  pipeline.addPass(createCSEPass());
}

static void addLLVMToObject(OpPassManager &pipeline) {
  pipeline.addPass(createSerializeToObjectPass());
}

Family tinytc::makeNativeFamily() {
  Family family;
  family.name = "native";
  family.targets = {makeNative(),  makeX86V2(),  makeX86V3(),   makeX86V4(),
                    makeX86BF16(), makeX86Amx(), makeAArch64(), makeAArch64Matrix(),
                    makeSve256(),  makeSve512()};
  family.stages = {{"vector", "vector", "func.func", "vectors",
                    "Lower kernels to functions in which a subgroup is a vector",
                    addGPUToVector},
                   // Upstream has a pass that is called gpu-to-llvm.
                   {"llvm", "llvm-dialect", "llvm.func", "the llvm dialect",
                    "Lower kernels to functions of the llvm dialect", addVectorToLLVM},
                   {"object", "object", "gpu.binary", "an object file",
                    "Lower kernels to an object file", addLLVMToObject}};
  family.format = "elf";
  family.emit = emitBinaryOp;
  return family;
}
