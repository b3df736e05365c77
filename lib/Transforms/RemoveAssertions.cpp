//===- RemoveAssertions.cpp - A build without assertions and prints -------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "dialect/TinyTC.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_REMOVEASSERTIONSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {
struct RemoveAssertions final
    : tinytc::impl::RemoveAssertionsPassBase<RemoveAssertions> {
  using RemoveAssertionsPassBase::RemoveAssertionsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> removed;
    getOperation().walk([&](Operation *op) {
      if (isa<AssertOp, PrintOp>(op))
        removed.push_back(op);
    });
    if (removed.empty())
      return markAllAnalysesPreserved();
    for (Operation *op : removed)
      op->erase();
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
