//===- RotateLoops.cpp - Loops that test their end last -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/RotateLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// A loop -> blocks, of which the last one tests whether there is another iteration. A
/// test before the loop is left out where there is a first one. This is the form that
/// LLVM's passes bring loops into and look for.
struct RotateFor final : OpRewritePattern<scf::ForOp> {
  explicit RotateFor(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    if (loop.getUnsignedCmp())
      return rewriter.notifyMatchFailure(loop, "expected bounds with signs");
    Location loc = loop.getLoc();
    Block *before = loop->getBlock();
    Block *rest = rewriter.splitBlock(before, loop->getIterator());
    SmallVector<Location> locations(loop.getNumResults(), loc);
    Block *after = rewriter.createBlock(rest, loop.getResultTypes(), locations);
    cf::BranchOp::create(rewriter, loc, rest);
    Block *body = loop.getBody(), *last = &loop.getRegion().back();
    rewriter.inlineRegionBefore(loop.getRegion(), after);
    repeat(loop, body, last, after, rewriter);
    enter(loop, before, body, after, rewriter);
    rewriter.replaceOp(loop, after->getArguments());
    return success();
  }

private:
  /// Whether the counter takes the value of the upper bound in the end.
  static bool meetsEnd(scf::ForOp loop) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    if (step && lower && upper)
      return (*upper - *lower) % *step == 0;
    return step && *step == 1;
  }

  static void repeat(scf::ForOp loop, Block *body, Block *last, Block *after,
                     PatternRewriter &rewriter) {
    Location loc = loop.getLoc();
    // A block of its own: conversions of branches take no block that goes to itself.
    Operation *yield = last->getTerminator();
    Block *test = rewriter.splitBlock(last, yield->getIterator());
    rewriter.setInsertionPointToEnd(last);
    cf::BranchOp::create(rewriter, loc, test);
    rewriter.setInsertionPoint(yield);
    bool meets = meetsEnd(loop);
    Value next = arith::AddIOp::create(
        rewriter, loc, body->getArgument(0), loop.getStep(),
        meets ? arith::IntegerOverflowFlags::nsw : arith::IntegerOverflowFlags::none);
    Value goesOn = arith::CmpIOp::create(
        rewriter, loc, meets ? arith::CmpIPredicate::ne : arith::CmpIPredicate::slt,
        next, loop.getUpperBound());
    SmallVector<Value> carried{next};
    llvm::append_range(carried, yield->getOperands());
    rewriter.replaceOpWithNewOp<cf::CondBranchOp>(yield, goesOn, body, carried, after,
                                                  yield->getOperands());
  }

  static void enter(scf::ForOp loop, Block *before, Block *body, Block *after,
                    PatternRewriter &rewriter) {
    Location loc = loop.getLoc();
    rewriter.setInsertionPointToEnd(before);
    SmallVector<Value> carried{loop.getLowerBound()};
    llvm::append_range(carried, loop.getInitArgs());
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    if (lower && upper && *lower < *upper) {
      cf::BranchOp::create(rewriter, loc, body, carried);
      return;
    }
    Value runs = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                       loop.getLowerBound(), loop.getUpperBound());
    cf::CondBranchOp::create(rewriter, loc, runs, body, carried, after,
                             loop.getInitArgs());
  }
};

} // namespace

void tinytc::populateLoopRotationPatterns(RewritePatternSet &patterns) {
  patterns.add<RotateFor>(patterns.getContext());
}
