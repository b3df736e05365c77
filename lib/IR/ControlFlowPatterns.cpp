//===- ControlFlowPatterns.cpp - Canonicalisation of for and if -----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/TinyTC.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Replaces `op` by the ops of the region, and its results by the yielded values.
static void inlineRegion(PatternRewriter &rewriter, Operation *op, Region &region,
                         ValueRange arguments) {
  Operation *yield = region.front().getTerminator();
  ValueRange results = yield->getOperands();
  rewriter.inlineBlockBefore(&region.front(), op, arguments);
  rewriter.replaceOp(op, results);
  rewriter.eraseOp(yield);
}

namespace {

/// if true { A } else { B } => A
struct InlineConstantIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    APInt condition;
    if (!matchPattern(op.getCondition(), m_ConstantInt(&condition)))
      return rewriter.notifyMatchFailure(op, "the condition is not constant");
    Region &taken = condition.isZero() ? op.getElseRegion() : op.getThenRegion();
    if (taken.empty())
      rewriter.eraseOp(op);
    else
      inlineRegion(rewriter, op, taken, {});
    return success();
  }
};

/// for i = 4, 4 init(x = a) { ... } => a;  for i = 3, 4 { A } => A
struct InlineShortFor : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ForOp op, PatternRewriter &rewriter) const override {
    APInt from, to, step;
    if (!matchPattern(op.getFrom(), m_ConstantInt(&from)) ||
        !matchPattern(op.getTo(), m_ConstantInt(&to)))
      return rewriter.notifyMatchFailure(op, "the bounds are not constant");
    if (from.sge(to)) {
      rewriter.replaceOp(op, op.getInits());
      return success();
    }
    if (!op.getStep())
      step = APInt(from.getBitWidth(), 1);
    else if (!matchPattern(op.getStep(), m_ConstantInt(&step)))
      return rewriter.notifyMatchFailure(op, "the step is not constant");
    bool overflow = false;
    APInt distance = to.ssub_ov(from, overflow);
    if (overflow || !step.isStrictlyPositive() || step.slt(distance))
      return rewriter.notifyMatchFailure(op, "there may be more than one iteration");
    SmallVector<Value> arguments = {op.getFrom()};
    llvm::append_range(arguments, op.getInits());
    inlineRegion(rewriter, op, op.getBody(), arguments);
    return success();
  }
};

} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                       MLIRContext *context) {
  patterns.add<InlineConstantIf>(context);
}

void ForOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<InlineShortFor>(context);
}
