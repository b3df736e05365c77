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
/// the last barrier. Each loop and branch that is being walked has its own accesses, on
/// top of those before it, so that entering and leaving it copies nothing else.
class BarrierInserter {
public:
  /// Walks the region until no loop adds an access to its next iteration: as often as
  /// loops are nested, and once more.
  void run(Region &region) {
    do {
      isComplete = true;
      layers = std::vector<Layer>(1);
      visit(region);
    } while (!isComplete);
  }

private:
  struct Layer {
    AccessSet accesses;
    /// What barriers above have fenced; of the topmost layer, nothing.
    Fences fenced;
  };

  void visit(Region &region) {
    for (Operation &op : llvm::make_early_inc_range(region.front()))
      visit(op);
  }

  void visit(Operation &op) {
    if (auto barrier = dyn_cast<BarrierOp>(op))
      return clear({barrier.getFenceGlobal(), barrier.getFenceLocal()});
    if (auto loop = dyn_cast<ForOp>(op))
      return visitLoop(loop);
    if (auto branch = dyn_cast<IfOp>(op))
      return visitIf(branch);
    // Everything else, SPMD regions as a whole.
    AccessSet accesses = AccessSet::of(op);
    Fences fences = getConflicts(accesses);
    if (fences.any()) {
      addBarrier(op, fences);
      clear(fences);
    }
    layers.back().accesses.merge(accesses);
  }

  Fences getConflicts(const AccessSet &later) const {
    Fences found;
    for (const Layer &layer : layers) {
      Fences fences = layer.accesses.getConflicts(later);
      found.global |= fences.global && !layer.fenced.global;
      found.local |= fences.local && !layer.fenced.local;
    }
    return found;
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

  void clear(Fences fences) {
    for (Layer &layer : layers) {
      layer.fenced.global |= fences.global;
      layer.fenced.local |= fences.local;
    }
    forgetFenced();
  }

  /// Removes what is fenced from the topmost layer.
  void forgetFenced() {
    Layer &top = layers.back();
    top.accesses.clear(top.fenced.global, top.fenced.local);
    top.fenced = {};
  }

  /// Walks a region that may not run: the layers below stay as they are. Returns what
  /// the region leaves, and what it fences of them.
  std::pair<AccessSet, SmallVector<Fences, 8>> visitAbove(AccessSet before,
                                                          Region &region) {
    SmallVector<Fences, 8> restored, fenced;
    for (const Layer &layer : layers)
      restored.push_back(layer.fenced);
    layers.push_back({std::move(before), {}});
    visit(region);
    AccessSet left = std::move(layers.back().accesses);
    layers.pop_back();
    for (auto [layer, fences] : llvm::zip_equal(layers, restored)) {
      fenced.push_back(layer.fenced);
      layer.fenced = fences;
    }
    return {std::move(left), std::move(fenced)};
  }

  void visitLoop(ForOp loop) {
    AccessSet &atBackEdge = atBackEdges[loop];
    AccessSet left = visitAbove(atBackEdge, loop.getBody()).first;
    if (atBackEdge.merge(left))
      isComplete = false;
    layers.back().accesses.merge(left);
  }

  void visitIf(IfOp op) {
    auto [left, fenced] = visitAbove({}, op.getThenRegion());
    if (!op.getElseRegion().empty()) {
      auto [leftByElse, fencedByElse] = visitAbove({}, op.getElseRegion());
      left.merge(leftByElse);
      for (auto [layer, a, b] : llvm::zip_equal(layers, fenced, fencedByElse))
        layer.fenced = {a.global && b.global, a.local && b.local};
      forgetFenced();
    }
    layers.back().accesses.merge(left);
  }

  std::vector<Layer> layers;
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
