//===- InsertBarriers.cpp - Barriers between collective instructions ------===//

#include "dialect/Passes.h"
#include "lib/Analysis/MemoryAccess.h"

#include "mlir/IR/Builders.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Walks a collective region in the order of execution and keeps what has been
/// accessed since the last barrier.
class BarrierInserter {
public:
  void run(Region &region) {
    for (Operation &op : llvm::make_early_inc_range(region.front()))
      visit(op);
  }

private:
  void visit(Operation &op) {
    if (auto barrier = dyn_cast<BarrierOp>(op))
      return pending.clear(barrier.getFenceGlobal(), barrier.getFenceLocal());
    if (auto loop = dyn_cast<ForOp>(op))
      return visitLoop(loop);
    if (auto branch = dyn_cast<IfOp>(op))
      return visitIf(branch);
    // Everything else, SPMD regions as a whole.
    AccessSet accesses = AccessSet::of(op);
    Fences fences = pending.getConflicts(accesses);
    if (fences.any()) {
      OpBuilder builder(&op);
      BarrierOp::create(builder, op.getLoc(), fences.global, fences.local);
      pending.clear(fences.global, fences.local);
    }
    pending.merge(accesses);
  }

  void visitLoop(ForOp loop) {
    AccessSet before = pending;
    run(loop.getBody());
    // Once more for the back edge: what the end of the body leaves is pending at its
    // start. Barriers that the first run inserted clear it again.
    run(loop.getBody());
    // The loop may run no iteration at all.
    pending.merge(before);
  }

  void visitIf(IfOp op) {
    AccessSet before = pending;
    run(op.getThenRegion());
    std::swap(before, pending);
    if (!op.getElseRegion().empty())
      run(op.getElseRegion());
    pending.merge(before);
  }

  AccessSet pending;
};

struct InsertBarriers final : tinytc::impl::InsertBarriersPassBase<InsertBarriers> {
  using InsertBarriersPassBase::InsertBarriersPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    // A single work-item has nobody to wait for.
    if (std::optional<ArrayRef<int32_t>> size = func.getWorkGroupSize())
      if (int64_t((*size)[0]) * (*size)[1] == 1)
        return markAllAnalysesPreserved();
    BarrierInserter().run(func.getBody());
  }
};

} // namespace
