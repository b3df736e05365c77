//===- CountingLoops.cpp - Loops over a range as loops with a condition ---===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CONVERTCOUNTINGLOOPSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;

/// Replaces a loop; its counter becomes the first of the values that it carries.
static void convertLoop(IRRewriter &rewriter, scf::ForOp loop) {
  Location loc = loop.getLoc();
  SmallVector<Value> inits{loop.getLowerBound()};
  llvm::append_range(inits, loop.getInitArgs());
  SmallVector<Type> types = llvm::to_vector(ValueRange(inits).getTypes());
  SmallVector<Location> locs = llvm::map_to_vector(
      loop.getBody()->getArguments(), [](Value value) { return value.getLoc(); });

  rewriter.setInsertionPoint(loop);
  auto converted = scf::WhileOp::create(rewriter, loc, types, inits,
                                        llvm::to_vector(loop->getDiscardableAttrs()));
  Block *before = rewriter.createBlock(&converted.getBefore(), {}, types, locs);
  auto predicate =
      loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value isInside = arith::CmpIOp::create(rewriter, loc, predicate,
                                         before->getArgument(0), loop.getUpperBound());
  scf::ConditionOp::create(rewriter, loc, isInside, before->getArguments());

  Block *after = rewriter.createBlock(&converted.getAfter(), {}, types, locs);
  Value next =
      arith::AddIOp::create(rewriter, loc, after->getArgument(0), loop.getStep());
  rewriter.mergeBlocks(loop.getBody(), after, after->getArguments());
  after->getTerminator()->insertOperands(0, next);
  rewriter.replaceOp(loop, converted.getResults().drop_front());
}

namespace {
struct ConvertCountingLoops final
    : tinytc::impl::ConvertCountingLoopsPassBase<ConvertCountingLoops> {
  using ConvertCountingLoopsPassBase::ConvertCountingLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk<WalkOrder::PostOrder>(
        [&](scf::ForOp loop) { convertLoop(rewriter, loop); });
  }
};
} // namespace
