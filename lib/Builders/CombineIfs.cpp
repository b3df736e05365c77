//===- CombineIfs.cpp - Conditionals next to each other -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/CombineIfs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

static constexpr unsigned kMostCombinedResults = 64;

namespace {

class BoundedCombination final : public RewritePattern {
public:
  explicit BoundedCombination(std::unique_ptr<RewritePattern> upstream)
      : RewritePattern(scf::IfOp::getOperationName(), upstream->getBenefit(),
                       upstream->getContext()),
        upstream(std::move(upstream)) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Operation *previous = op->getPrevNode();
    if (!isa_and_nonnull<scf::IfOp>(previous) ||
        previous->getNumResults() + op->getNumResults() > kMostCombinedResults)
      return rewriter.notifyMatchFailure(op,
                                         "expected few results of two conditionals");
    return upstream->matchAndRewrite(op, rewriter);
  }

private:
  std::unique_ptr<RewritePattern> upstream;
};

} // namespace

void tinytc::boundCombinedIfs(RewritePatternSet &patterns) {
  for (std::unique_ptr<RewritePattern> &pattern : patterns.getNativePatterns())
    if (pattern->getDebugName().ends_with("CombineIfs"))
      pattern = std::make_unique<BoundedCombination>(std::move(pattern));
}
