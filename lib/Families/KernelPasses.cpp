//===- KernelPasses.cpp - Passes of the functions of kernels --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/KernelPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

void tinytc::addKernelPass(OpPassManager &pipeline,
                           function_ref<std::unique_ptr<Pass>()> create) {
  OpPassManager &kernels = pipeline.nest<gpu::GPUModuleOp>();
  kernels.nest<gpu::GPUFuncOp>().addPass(create());
  kernels.nest<func::FuncOp>().addPass(create());
}
