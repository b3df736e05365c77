//===- ExpandBF16.cpp - bf16 as f32 and its bits --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Builders/ExpandFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_EXPANDBF16PASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Whether any value of the kernels is a bf16.
static bool usesBF16(Operation *root) {
  return root
      ->walk([](Operation *op) {
        auto isBF16 = [](Type type) { return type.isBF16(); };
        return llvm::any_of(op->getResultTypes(), isBF16) ||
                       llvm::any_of(op->getOperandTypes(), isBF16)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct ExpandBF16 final : tinytc::impl::ExpandBF16PassBase<ExpandBF16> {
  using ExpandBF16PassBase::ExpandBF16PassBase;

  void runOnOperation() override {
    // Upstream's passes below take no functions of bf16.
    if (failed(expandFunctions(getOperation())))
      return signalPassFailure();
    if (!usesBF16(getOperation()))
      return;
    OpPassManager pipeline(ModuleOp::getOperationName());
    arith::ArithEmulateUnsupportedFloatsOptions emulate;
    emulate.sourceTypeStrs = {"bf16"};
    emulate.targetTypeStr = "f32";
    pipeline.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
    arith::ArithExpandOpsPassOptions expand;
    expand.includeBf16 = true;
    pipeline.addPass(arith::createArithExpandOpsPass(expand));
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }
};
} // namespace
