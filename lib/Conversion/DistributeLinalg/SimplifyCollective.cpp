//===- SimplifyCollective.cpp - Canonicalize the linalg stage -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Builders/CombineIfs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_SIMPLIFYCOLLECTIVEPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;

namespace {

/// Two barriers without anything between them -> one with the fences of both. Upstream
/// drops one of them whatever it fences.
struct UniteBarriers final : OpRewritePattern<gpu::BarrierOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::BarrierOp op,
                                PatternRewriter &rewriter) const override {
    auto next = dyn_cast_or_null<gpu::BarrierOp>(op->getNextNode());
    if (!next)
      return rewriter.notifyMatchFailure(op, "expected a barrier next to this one");
    ArrayAttr fences = tinytc::getDiscardable<Fences>(op);
    ArrayAttr nextFences = tinytc::getDiscardable<Fences>(next);
    rewriter.modifyOpInPlace(op, [&] {
      // A barrier that does not say what it fences fences everything.
      if (!fences || !nextFences) {
        tinytc::removeDiscardable<Fences>(op);
        return;
      }
      llvm::SmallSetVector<Attribute, 2> united(fences.begin(), fences.end());
      united.insert(nextFences.begin(), nextFences.end());
      tinytc::setDiscardable<Fences>(op, rewriter.getArrayAttr(united.getArrayRef()));
    });
    rewriter.eraseOp(next);
    return success();
  }

private:
  using Fences = tinytc::TinyTCDialect::FencesAttrHelper;
};

/// A view with a size that is known to be negative -> one of size 0. Making such a view
/// is undefined behaviour, but code that never runs may do it, and upstream asserts
/// when it makes the constant a part of the type. The same is true of the integer that
/// stands for a dynamic entry.
struct FoldUndefinedView final : OpRewritePattern<memref::ReinterpretCastOp> {
  explicit FoldUndefinedView(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(memref::ReinterpretCastOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpOperand *> undefined;
    auto collect = [&](MutableOperandRange entries, int64_t least) {
      for (OpOperand &entry : entries)
        if (std::optional<int64_t> known = getConstantIntValue(entry.get());
            known && *known < least)
          undefined.push_back(&entry);
    };
    constexpr int64_t kLeastKnown = std::numeric_limits<int64_t>::min() + 1;
    collect(op.getOffsetsMutable(), kLeastKnown);
    collect(op.getSizesMutable(), 0);
    collect(op.getStridesMutable(), kLeastKnown);
    if (undefined.empty())
      return rewriter.notifyMatchFailure(op, "expected an entry that is undefined");
    Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    rewriter.modifyOpInPlace(op, [&] {
      for (OpOperand *entry : undefined)
        entry->set(zero);
    });
    return success();
  }
};

struct SimplifyCollective final
    : tinytc::impl::SimplifyCollectivePassBase<SimplifyCollective> {
  using SimplifyCollectivePassBase::SimplifyCollectivePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    // Bounds of loops stay operands: their constants keep their place in the code.
    StringRef kept[] = {scf::ForallOp::getOperationName(),
                        memref::ViewOp::getOperationName(),
                        gpu::BarrierOp::getOperationName()};
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (!llvm::is_contained(kept, name.getStringRef()))
        name.getCanonicalizationPatterns(set, context);
    set.add<UniteBarriers, FoldUndefinedView>(context);
    if (upliftToFMA)
      populateUpliftToFMAPatterns(set);
    tinytc::boundCombinedIfs(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // Like the canonicalizer, this stops after a number of iterations without an error.
    GreedyRewriteConfig config;
    // Kernels have no unreachable blocks, and CSE follows.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
