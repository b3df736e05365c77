//===- NarrowLoops.cpp - Counters of 32 bits ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// An index is an integer of 64 bits in SPIR-V. GPUs of Intel compare such numbers by
// halves, and some of them also add by halves: a counter of 32 bits saves a few
// instructions of each iteration.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_NARROWLOOPSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The constant bounds and step of a loop, if neither the counter nor the sum that ends
/// the loop leaves the range of a signed integer of 32 bits or is negative.
static std::optional<std::array<int32_t, 3>> getNarrowRange(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (!loop.getInductionVar().getType().isIndex() || !lower || !upper || !step ||
      *lower < 0 || *lower > most || *upper < 0 || *upper > most || *step <= 0 ||
      *step > most - *upper)
    return std::nullopt;
  return std::array{int32_t(*lower), int32_t(*upper), int32_t(*step)};
}

static void narrowCounter(IRRewriter &rewriter, scf::ForOp loop) {
  std::optional<std::array<int32_t, 3>> range = getNarrowRange(loop);
  if (!range)
    return;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto bounds = llvm::map_to_vector(*range, [&](int32_t value) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, value, /*width=*/32);
  });
  auto narrowed = scf::ForOp::create(rewriter, loc, bounds[0], bounds[1], bounds[2],
                                     loop.getInitArgs());
  narrowed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = narrowed.getBody();
  if (loop.getInitArgs().empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> arguments{arith::IndexCastUIOp::create(
      rewriter, loc, rewriter.getIndexType(), narrowed.getInductionVar())};
  llvm::append_range(arguments, narrowed.getRegionIterArgs());
  rewriter.mergeBlocks(loop.getBody(), body, arguments);
  rewriter.replaceOp(loop, narrowed.getResults());
}

namespace {
struct NarrowLoops final : tinytc::impl::NarrowLoopsPassBase<NarrowLoops> {
  using NarrowLoopsPassBase::NarrowLoopsPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!getDriver(*target).countsIn32Bits)
      return;
    IRRewriter rewriter(&getContext());
    getOperation()->walk<WalkOrder::PostOrder>(
        [&](scf::ForOp loop) { narrowCounter(rewriter, loop); });
  }
};
} // namespace
