//===- SimplifyLoops.cpp - Canonicalize bodies of loops -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_SIMPLIFYLOOPSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;

namespace {
struct SimplifyLoops final : tinytc::impl::SimplifyLoopsPassBase<SimplifyLoops> {
  using SimplifyLoopsPassBase::SimplifyLoopsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      name.getCanonicalizationPatterns(set, context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      simplify(loop);
  }

private:
  /// The loop itself is out of scope.
  void simplify(scf::ForOp loop) {
    SmallVector<Operation *> ops;
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<scf::ForOp>(op))
        ops.push_back(&op);
    GreedyRewriteConfig config;
    config.setScope(&loop.getRegion());
    (void)applyOpPatternsGreedily(ops, patterns, config);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
