//===- InsertBarriers.cpp - Barriers between collective instructions ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/MemoryAccess.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace mlir::tinytc {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Walks a collective region in execution order and tracks what has been accessed since
/// the last barrier.
class BarrierInserter {
public:
  /// Walks the region until no loop adds an access to its next iteration: as often as
  /// loops are nested, and once more.
  void run(Region &region) {
    do {
      isComplete = true;
      pending = AccessSet();
      visit(region);
    } while (!isComplete);
  }

private:
  void visit(Region &region) {
    for (Operation &op : llvm::make_early_inc_range(region.front()))
      visit(op);
  }

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
      addBarrier(op, fences);
      pending.clear(fences.global, fences.local);
    }
    pending.merge(accesses);
  }

  /// A barrier before `op`, one for both address spaces.
  static void addBarrier(Operation &op, Fences fences) {
    if (auto barrier = dyn_cast_or_null<BarrierOp>(op.getPrevNode())) {
      barrier.setFenceGlobal(barrier.getFenceGlobal() || fences.global);
      barrier.setFenceLocal(barrier.getFenceLocal() || fences.local);
      return;
    }
    OpBuilder builder(&op);
    BarrierOp::create(builder, op.getLoc(), fences.global, fences.local);
  }

  void visitLoop(ForOp loop) {
    AccessSet before = pending;
    AccessSet &atBackEdge = atBackEdges[loop];
    pending.merge(atBackEdge);
    visit(loop.getBody());
    if (atBackEdge.merge(pending))
      isComplete = false;
    // The loop may run no iteration at all.
    pending.merge(before);
  }

  void visitIf(IfOp op) {
    AccessSet before = pending;
    visit(op.getThenRegion());
    std::swap(before, pending);
    if (!op.getElseRegion().empty())
      visit(op.getElseRegion());
    pending.merge(before);
  }

  AccessSet pending;
  /// Accesses that the end of a loop's body leaves to its start, as far as known.
  std::map<Operation *, AccessSet> atBackEdges;
  bool isComplete = false;
};

struct InsertBarriers final : tinytc::impl::InsertBarriersPassBase<InsertBarriers> {
  using InsertBarriersPassBase::InsertBarriersPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    // A single work-item has no other to wait for.
    if (std::optional<ArrayRef<int32_t>> size = func.getWorkGroupSize())
      if (int64_t((*size)[0]) * (*size)[1] == 1)
        return markAllAnalysesPreserved();
    BarrierInserter().run(func.getBody());
  }
};

} // namespace
