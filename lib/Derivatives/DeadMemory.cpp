//===- DeadMemory.cpp - Local memory that nothing depends on --------------===//

#include "lib/Derivatives/Derivatives.h"
#include "lib/Derivatives/Signature.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

namespace {

/// Finds the instructions on which what a kernel leaves in its parameters depends.
class Liveness {
public:
  explicit Liveness(FuncOp func) : func(func) {
    func->walk([&](Operation *op) {
      for (const MemrefUse &use : getMemrefUses(op))
        if (use.isWritten)
          writers[getStorage(use.memref)].push_back(op);
      if (hasOtherEffect(op))
        mark(op);
    });
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }

  void eraseOthers() {
    SmallVector<Operation *> dead, outermost;
    auto isDead = [&](Operation *op) { return op != func && !live.contains(op); };
    func->walk([&](Operation *op) {
      bool isOfLive = isa<YieldOp>(op) && !isDead(op->getParentOp());
      if (isDead(op) && !isOfLive)
        dead.push_back(op);
    });
    for (Operation *op : dead) {
      op->dropAllUses();
      op->dropAllReferences();
    }
    // An op goes with the dead one that it is in.
    for (Operation *op : dead)
      if (!isDead(op->getParentOp()))
        outermost.push_back(op);
    for (Operation *op : outermost)
      op->erase();
  }

private:
  /// Writes to parameters, and what is there for its effect on work-items.
  static bool hasOtherEffect(Operation *op) {
    if (isa<BarrierOp>(op))
      return true;
    return llvm::any_of(getMemrefUses(op), [](const MemrefUse &use) {
      return use.isWritten && !getStorage(use.memref).getDefiningOp<AllocaOp>();
    });
  }

  void mark(Operation *op) {
    if (live.insert(op).second)
      worklist.push_back(op);
  }

  void visit(Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        mark(source);
      else if (auto argument = dyn_cast<BlockArgument>(operand))
        mark(argument.getOwner()->getParentOp());
    for (const MemrefUse &use : getMemrefUses(op))
      if (use.isRead)
        for (Operation *writer : writers[getStorage(use.memref)])
          mark(writer);
    if (Operation *parent = op->getParentOp(); parent && parent != func)
      mark(parent);
    // What a region yields: carried values stay or go together.
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.front().empty() && op->getNumResults() > 0)
        mark(region.front().getTerminator());
  }

  FuncOp func;
  DenseMap<Value, SmallVector<Operation *>> writers;
  DenseSet<Operation *> live;
  SmallVector<Operation *> worklist;
};

} // namespace

void derivatives::eraseDeadMemory(FuncOp func) { Liveness(func).eraseOthers(); }
