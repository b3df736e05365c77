//===- SimplifyLoops.cpp - Canonicalize bodies of loops -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Builders/CombineIfs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <map>

namespace mlir::tinytc {
#define GEN_PASS_DEF_SIMPLIFYLOOPSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;

namespace {

/// Replaces values that loops carry, or conditionals yield, by equal ones. Upstream's
/// pattern compares all pairs of them: a large cooperative matrix is thousands.
struct RemoveDuplicateInputs final : RewritePattern {
  RemoveDuplicateInputs(StringRef op, PatternBenefit benefit, MLIRContext *context)
      : RewritePattern(op, benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    RegionBranchInverseSuccessorMapping operands;
    cast<RegionBranchOpInterface>(op).getSuccessorInputOperandMapping(operands);
    SmallVector<Value> inputs = llvm::to_vector(operands.keys());
    llvm::stable_sort(inputs,
                      [](Value a, Value b) { return getNumber(a) < getNumber(b); });
    // By what defines a value, and by what each branch passes for it.
    using Source = std::pair<const void *, const void *>;
    std::map<SmallVector<Source>, Value> known;
    bool changes = false;
    for (Value input : inputs) {
      SmallVector<Source> sources;
      for (OpOperand *operand : operands[input])
        sources.push_back({operand->getOwner(), operand->get().getAsOpaquePointer()});
      llvm::sort(sources);
      sources.push_back({getOwner(input), nullptr});
      Value first = known.insert({sources, input}).first->second;
      if (first == input || input.use_empty())
        continue;
      rewriter.replaceAllUsesWith(input, first);
      changes = true;
    }
    return success(changes);
  }

private:
  static unsigned getNumber(Value value) {
    if (auto result = dyn_cast<OpResult>(value))
      return result.getResultNumber();
    return cast<BlockArgument>(value).getArgNumber();
  }

  static const void *getOwner(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner();
    return value.getDefiningOp();
  }
};

struct SimplifyLoops final : tinytc::impl::SimplifyLoopsPassBase<SimplifyLoops> {
  using SimplifyLoopsPassBase::SimplifyLoopsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      name.getCanonicalizationPatterns(set, context);
    for (std::unique_ptr<RewritePattern> &pattern : set.getNativePatterns())
      if (pattern->getDebugName().ends_with("RemoveDuplicateSuccessorInputUses"))
        pattern = RewritePattern::create<RemoveDuplicateInputs>(
            pattern->getRootKind()->getStringRef(), pattern->getBenefit(), context);
    boundCombinedIfs(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      simplify(loop);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    (void)applyPatternsGreedily(getOperation(), patterns, config);
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
