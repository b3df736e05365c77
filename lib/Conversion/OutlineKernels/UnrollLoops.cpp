//===- UnrollLoops.cpp - Unroll the loops that ask for it -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The most ops that a request for a number of iterations may make of a loop.
static constexpr uint64_t kMaxRequestedOps = 1 << 16;

static bool isRequested(scf::ForOp loop) { return getUnroll(loop) == true; }

/// A kernel of more copies is beyond every limit.
static constexpr int64_t kMaxCopies = 1 << 16;

/// Ops in the regions of `root` that remain after indices have been folded.
static int64_t countOps(Operation *root, const Machine &machine) {
  int64_t count = 0;
  for (Region &region : root->getRegions())
    for (Operation &op : region.getOps()) {
      bool isIndex =
          op.getNumResults() > 0 && op.getNumRegions() == 0 &&
          llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIndex(); });
      if (!isIndex && !op.hasTrait<OpTrait::ConstantLike>() &&
          !op.hasTrait<OpTrait::IsTerminator>())
        count += 1 + countOps(&op, machine);
    }
  auto loop = dyn_cast<scf::ForOp>(root);
  if (std::optional<int64_t> factor = loop ? getUnrollFactor(loop) : std::nullopt)
    return std::min(*factor, kMaxCopies) * count;
  bool isLeftToDriver = loop && isRequested(loop) && !loop.getStaticTripCount();
  return isLeftToDriver ? machine.code.unrollFactor * count : count;
}

namespace {
struct UnrollLoops final : tinytc::impl::UnrollLoopsPassBase<UnrollLoops> {
  using UnrollLoopsPassBase::UnrollLoopsPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    const Machine &machine = getMachine(*target);
    SmallVector<scf::ForOp> loops;
    // Inner loops come first, so that outer ones count what they have become.
    getOperation()->walk([&](scf::ForOp loop) {
      if (isRequested(loop) || getUnrollFactor(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop, machine)))
        return signalPassFailure();
  }

private:
  /// Makes `factor` iterations one, whatever the number of iterations.
  LogicalResult unrollBy(scf::ForOp loop, uint64_t factor) {
    std::optional<APInt> count = loop.getStaticTripCount();
    if (count && count->isZero())
      return success();
    uint64_t copies = count ? std::min(count->getLimitedValue(), factor) : factor;
    uint64_t ops = 0;
    loop.getBody()->walk([&](Operation *) { ++ops; });
    if (copies > 1 && copies > kMaxRequestedOps / ops)
      return loop->emitError("expected at most ")
             << kMaxRequestedOps << " operations in an unrolled loop, got " << copies
             << " iterations of " << ops;
    if (count && count->ule(factor))
      return loopUnrollFull(loop);
    if (!count) {
      // Upstream takes the distance of the bounds as unsigned.
      OpBuilder builder(loop);
      Value upper = arith::MaxSIOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                           loop.getUpperBound());
      loop.setUpperBound(upper);
    }
    // The driver must not unroll further.
    setUnroll(loop, false);
    if (factor == 1)
      return success();
    FailureOr<UnrolledLoopInfo> loops = loopUnrollByFactor(loop, factor);
    if (failed(loops))
      return failure();
    if (loops->epilogueLoopOp)
      setUnroll(*loops->epilogueLoopOp, false);
    return success();
  }

  LogicalResult unroll(scf::ForOp loop, const Machine &machine) {
    if (std::optional<int64_t> factor = getUnrollFactor(loop))
      return unrollBy(loop, *factor);
    std::optional<APInt> count = loop.getStaticTripCount();
    // The request is passed on to the driver if the trip count is not known here.
    if (!count || count->isZero())
      return success();
    uint64_t trips = count->getLimitedValue();
    uint64_t factor = chooseFactor(loop, trips, machine);
    if (factor == trips)
      return loopUnrollFull(loop);
    // The driver must not unroll beyond the limit.
    setUnroll(loop, false);
    return factor > 1 ? LogicalResult(loopUnrollByFactor(loop, factor)) : success();
  }

  /// The largest factor for which the kernel stays within the limit. The remaining
  /// iterations are one more copy of the body.
  uint64_t chooseFactor(scf::ForOp loop, uint64_t trips, const Machine &machine) {
    int64_t limit = maxOps > 0 ? maxOps : machine.code.maxUnrolledOps;
    int64_t body = std::max<int64_t>(countOps(loop, machine), 1);
    int64_t rest = countOps(getOperation(), machine) - body;
    int64_t copies = std::max<int64_t>((limit - rest) / body, 1);
    if (trips <= uint64_t(copies))
      return trips;
    if (copies > 1 && trips % copies != 0)
      --copies;
    return copies;
  }
};
} // namespace
