//===- DeadMemory.cpp - What a new kernel does in vain --------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Rules set adjoints to 0 and add to them, whatever comes before and after. Here, the
// first sum after a 0 becomes an assignment, and what nothing reads is erased, the 0 as
// well.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/AdjointPlan.h"
#include "lib/Derivatives/Derivatives.h"
#include "lib/Derivatives/Signature.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

/// The local memory that an op sets to 0, if it does nothing else.
static Value getZeroed(Operation *op) {
  auto loop = dyn_cast<ForeachOp>(op);
  if (!loop)
    return {};
  auto ops = loop.getBody().front().without_terminator();
  auto store =
      llvm::hasSingleElement(ops) ? dyn_cast<StoreOp>(*ops.begin()) : StoreOp();
  if (!store || !isZero(store.getValue()) || !store.getDest().getDefiningOp<AllocaOp>())
    return {};
  return overwritesAll(loop, store.getDest()) ? store.getDest() : Value();
}

namespace {

/// Walks a kernel and knows which local memory is 0.
class ZeroMemory {
public:
  explicit ZeroMemory(FuncOp func) { visit(func.getBody().front(), /*change=*/true); }

private:
  using Memory = DenseSet<Value>;

  void visit(Block &block, bool change) {
    for (Operation &op : block.without_terminator())
      visit(&op, change);
  }

  void visit(Operation *op, bool change) {
    if (auto loop = dyn_cast<ForOp>(op))
      return visitFor(loop, change);
    if (auto branch = dyn_cast<IfOp>(op))
      return visitIf(branch, change);
    Value zeroed = getZeroed(op);
    if (zeroed) {
      zeros.insert(zeroed);
      return;
    }
    if (change)
      assign(op);
    removeWritten(op);
  }

  void removeWritten(Operation *op) {
    op->walk([&](Operation *nested) {
      for (const MemrefUse &use : getMemrefUses(nested))
        if (use.isWritten)
          zeros.erase(getStorage(use.memref));
    });
  }

  /// dest := alpha P + 1 dest, where dest is 0
  void assign(Operation *op) {
    auto blas = dyn_cast<BlasOpInterface>(op);
    if (!blas || blas.getAtomic() || !isConstant(blas.getBeta(), 1) ||
        !zeros.contains(blas.getDestination()))
      return;
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    op->setOperand(op->getNumOperands() - 2,
                   createNumber(builder, blas.getBeta().getType(), 0));
  }

  /// Finds memory that is 0 at the start of each iteration.
  void visitFor(ForOp loop, bool change) {
    Block &body = loop.getBody().front();
    Memory before = zeros, start = zeros;
    while (true) {
      zeros = start;
      visit(body, /*change=*/false);
      if (llvm::all_of(start, [&](Value memory) { return zeros.contains(memory); }))
        break;
      keepCommon(start);
      start = zeros;
    }
    zeros = start;
    visit(body, change);
    keepCommon(before); // there may be no iteration
  }

  void visitIf(IfOp op, bool change) {
    Memory before = zeros, after;
    bool isFirst = true;
    for (Region &region : op->getRegions()) {
      zeros = before;
      if (!region.empty())
        visit(region.front(), change);
      if (!isFirst)
        keepCommon(after);
      after = zeros;
      isFirst = false;
    }
  }

  void keepCommon(const Memory &other) {
    SmallVector<Value> others;
    for (Value memory : zeros)
      if (!other.contains(memory))
        others.push_back(memory);
    for (Value memory : others)
      zeros.erase(memory);
  }

  Memory zeros;
};

} // namespace

void derivatives::eraseDeadMemory(FuncOp func) {
  ZeroMemory{func};
  Activity activity(func, {});
  DenseSet<Operation *> live = AdjointPlan(func, activity, {}).getLive();
  SmallVector<Operation *> dead;
  func->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == func || isa<YieldOp>(op) || live.contains(op))
      return WalkResult::advance();
    dead.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : dead) {
    op->dropAllUses();
    op->walk([](Operation *nested) { nested->dropAllReferences(); });
  }
  for (Operation *op : dead)
    op->erase();
}
