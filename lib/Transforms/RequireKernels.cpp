//===- RequireKernels.cpp - Is there a kernel at any stage? ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "dialect/TinyTC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_REQUIREKERNELSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {
struct RequireKernels final : tinytc::impl::RequireKernelsPassBase<RequireKernels> {
  using RequireKernelsPassBase::RequireKernelsPassBase;

  void runOnOperation() override {
    bool hasKernel =
        getOperation()
            .walk([](FunctionOpInterface func) {
              bool isKernel =
                  isa<FuncOp, func::FuncOp, gpu::GPUFuncOp, LLVM::LLVMFuncOp>(*func);
              return isKernel && !func.isDeclaration() ? WalkResult::interrupt()
                                                       : WalkResult::advance();
            })
            .wasInterrupted();
    if (!hasKernel) {
      getOperation().emitError("expected a module with a kernel, got none");
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
