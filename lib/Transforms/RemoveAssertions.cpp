//===- RemoveAssertions.cpp - A build without assertions ------------------===//

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
    SmallVector<AssertOp> assertions;
    getOperation().walk([&](AssertOp op) { assertions.push_back(op); });
    if (assertions.empty())
      return markAllAnalysesPreserved();
    for (AssertOp op : assertions)
      op.erase();
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
