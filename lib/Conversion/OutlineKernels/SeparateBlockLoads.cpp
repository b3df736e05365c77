//===- SeparateBlockLoads.cpp - Loops for blocks and for elements ---------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a matrix can be read by blocks does not change while a loop runs. A condition
// inside would make the driver bring blocks and elements into the same registers in
// every iteration, so there is a loop for each. What follows such a loop is repeated,
// too: sums that two loops bring into the same registers are spilled.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_SEPARATEBLOCKLOADSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Whether all that `value` depends on can be computed before the loop; moves it there
/// if `moves`.
static bool hoist(Value value, scf::ForOp loop, bool moves) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return hoist(operand, loop, moves); }))
    return false;
  if (moves)
    op->moveBefore(loop);
  return true;
}

/// The choices between blocks and elements of the loop that are the same in all
/// iterations.
static SmallVector<scf::IfOp> getChoices(scf::ForOp loop) {
  SmallVector<scf::IfOp> choices;
  for (scf::IfOp choice : loop.getBody()->getOps<scf::IfOp>())
    if (!choice.thenBlock()->getOps<SubgroupBlockLoadOp>().empty() &&
        hoist(choice.getCondition(), loop, /*moves=*/false))
      choices.push_back(choice);
  return choices;
}

/// Replaces a choice by what it does in one case.
static void decide(scf::IfOp choice, bool byBlocks) {
  Block *block = byBlocks ? choice.thenBlock() : choice.elseBlock();
  Operation *yield = block->getTerminator();
  choice.replaceAllUsesWith(yield->getOperands());
  yield->erase();
  choice->getBlock()->getOperations().splice(choice->getIterator(),
                                             block->getOperations());
  choice.erase();
}

template <typename... Ops>
static bool contains(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<Ops...>(nested) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isWithin(Operation *op, ArrayRef<Operation *> ops) {
  Operation *ancestor = ops.front()->getBlock()->findAncestorOpInBlock(*op);
  return llvm::is_contained(ops, ancestor);
}

/// The results that other operations use.
static SmallVector<Value> getUsedResults(ArrayRef<Operation *> ops) {
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isWithin(user, ops); }))
        results.push_back(result);
  return results;
}

/// The loop and what follows it in the block, up to a barrier or other blocks: loops
/// with these are separated themselves.
static SmallVector<Operation *> getRepeated(scf::ForOp loop) {
  SmallVector<Operation *> repeated{loop};
  for (Operation *next = loop->getNextNode();
       !next->hasTrait<OpTrait::IsTerminator>() &&
       !contains<gpu::BarrierOp, SubgroupBlockLoadOp>(next);
       next = next->getNextNode())
    repeated.push_back(next);
  return repeated;
}

/// Moves operations into the else branch of a new scf.if, and copies of them, which
/// `copies` knows, into its other branch.
static void repeat(ArrayRef<Operation *> ops, Value condition, IRMapping &copies) {
  ImplicitLocOpBuilder builder(ops.front()->getLoc(), ops.front());
  SmallVector<Value> results = getUsedResults(ops);
  auto both = scf::IfOp::create(builder, ValueRange(results).getTypes(), condition,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [result, merged] : llvm::zip(results, both.getResults()))
    result.replaceUsesWithIf(
        merged, [&](OpOperand &use) { return !isWithin(use.getOwner(), ops); });
  builder.setInsertionPointToStart(both.thenBlock());
  for (Operation *op : ops)
    builder.clone(*op, copies);
  scf::YieldOp::create(builder, llvm::map_to_vector(results, [&](Value result) {
                         return copies.lookup(result);
                       }));
  builder.setInsertionPointToStart(both.elseBlock());
  auto yield = scf::YieldOp::create(builder, results);
  for (Operation *op : ops)
    op->moveBefore(yield);
}

static void separate(scf::ForOp loop) {
  SmallVector<scf::IfOp> choices = getChoices(loop);
  // Work-items may not meet at different barriers.
  if (choices.empty() || contains<gpu::BarrierOp>(loop))
    return;
  if (!getUnroll(loop))
    setUnroll(loop, false);
  ImplicitLocOpBuilder builder(loop.getLoc(), loop);
  Value areBlocks;
  for (scf::IfOp choice : choices) {
    Value condition = choice.getCondition();
    hoist(condition, loop, /*moves=*/true);
    if (areBlocks)
      condition = arith::AndIOp::create(builder, areBlocks, condition);
    areBlocks = condition;
  }
  IRMapping copies;
  repeat(getRepeated(loop), areBlocks, copies);
  for (scf::IfOp choice : choices) {
    decide(cast<scf::IfOp>(copies.lookup(choice)), /*byBlocks=*/true);
    decide(choice, /*byBlocks=*/false);
  }
}

namespace {
struct SeparateBlockLoads final
    : tinytc::impl::SeparateBlockLoadsPassBase<SeparateBlockLoads> {
  void runOnOperation() override {
    // Inner loops come first.
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      separate(loop);
  }
};
} // namespace
