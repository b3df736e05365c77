//===- SimplifyCollective.cpp - Canonicalize the linalg stage -------------===//

#include "dialect/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_SIMPLIFYCOLLECTIVEPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;

namespace {
struct SimplifyCollective final
    : tinytc::impl::SimplifyCollectivePassBase<SimplifyCollective> {
  using SimplifyCollectivePassBase::SimplifyCollectivePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    StringRef kept[] = {scf::ParallelOp::getOperationName(),
                        memref::ViewOp::getOperationName()};
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (!llvm::is_contained(kept, name.getStringRef()))
        name.getCanonicalizationPatterns(set, context);
    if (upliftToFMA)
      populateUpliftToFMAPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // Like the canonicalizer, it stops after a while without an error.
    GreedyRewriteConfig config;
    // Kernels have no unreachable blocks, and CSE follows.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
