//===- NVIDIA.cpp - GPUs of NVIDIA, by PTX --------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Families/Family.h"
#include "lib/Families/KernelTable.h"
#include "lib/Families/NVIDIA/Targets.h"

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

Family tinytc::makeNVIDIAFamily() {
  Family family;
  family.name = "nvidia";
  family.targets = {makeCudaSm80(), makeCudaSm90(), makeCudaSm100()};
  family.stages = {
      {"nvvm", "nvvm", "llvm.func", "NVVM",
       "Lower kernels to the llvm and nvvm dialects", addGPUToNVVM},
      {"ptx", "ptx", "gpu.binary", "PTX", "Lower kernels to PTX", addNVVMToPTX}};
  family.format = "ptx";
  family.emit = emitBinaryOp;
  return family;
}
