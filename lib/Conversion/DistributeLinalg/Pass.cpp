//===- Pass.cpp - Distribute linalg ops over the work-items ---------------===//

#include "dialect/Passes.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"
#include "lib/Target/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_DISTRIBUTELINALGPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Whether `op` is the update of a reduction; it is rewritten along with the sum.
static bool isUpdateOfReduction(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    return input.getDefiningOp<memref::AllocaOp>() != nullptr;
  });
}

static LogicalResult distributeOp(Operation *op, const WorkGroup &group,
                                  TargetAttr target, ScheduleAttr schedule) {
  IRRewriter rewriter(op);
  if (auto loop = dyn_cast<scf::ParallelOp>(op)) {
    if (failed(distributeParallel(rewriter, group, loop)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInits() != 1)
    return op->emitError("expected a linalg.generic with one destination, got '")
           << op->getName() << "'";
  if (generic.getNumReductionLoops() == 0) {
    if (failed(distributeElementwise(rewriter, group, generic, target)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
  FailureOr<Reduction> reduction = Reduction::match(generic);
  if (failed(reduction))
    return failure();
  rewriter.setInsertionPoint(reduction->update);
  if (failed(distributeReduction(rewriter, group, *reduction, target, schedule)))
    return failure();
  Operation *accumulator = generic.getDpsInits().front().getDefiningOp();
  for (Operation *done : {reduction->update.getOperation(), op,
                          reduction->fill.getOperation(), accumulator})
    rewriter.eraseOp(done);
  return success();
}

/// Replaces what the sizes of the kernel determine: the number of subgroups and, if
/// there is one, its index.
static void foldSubgroups(func::FuncOp func, const WorkGroup &group) {
  auto replace = [](Operation *op, int64_t value) {
    OpBuilder builder(op);
    Value constant = arith::ConstantIndexOp::create(builder, op->getLoc(), value);
    op->getResult(0).replaceAllUsesWith(constant);
    op->erase();
  };
  int64_t count = group.getNumSubgroups();
  func.walk([&](Operation *op) {
    if (isa<gpu::NumSubgroupsOp>(op))
      replace(op, count);
    else if (isa<gpu::SubgroupIdOp>(op) && count == 1)
      replace(op, 0);
  });
}

static LogicalResult distributeKernel(func::FuncOp func, TargetAttr target) {
  auto groupSize = func->getAttrOfType<DenseI32ArrayAttr>("tinytc.work_group_size");
  auto subgroupSize = func->getAttrOfType<IntegerAttr>("tinytc.subgroup_size");
  if (!groupSize || !subgroupSize)
    return func.emitError("expected the kernel to have the attributes "
                          "tinytc.work_group_size and tinytc.subgroup_size");
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  WorkGroup group(builder, func.getLoc(), target, groupSize, subgroupSize.getInt());
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (!isUpdateOfReduction(generic))
        ops.push_back(op);
    } else if (isa<scf::ParallelOp>(op) ||
               (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op))) {
      ops.push_back(op);
    }
  });
  auto schedule = func->getAttrOfType<ScheduleAttr>("tinytc.schedule");
  for (Operation *op : ops)
    if (failed(distributeOp(op, group, target, schedule)))
      return failure();
  foldSubgroups(func, group);
  return success();
}

namespace {
struct DistributeLinalg final
    : tinytc::impl::DistributeLinalgPassBase<DistributeLinalg> {
  using DistributeLinalgPassBase::DistributeLinalgPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (!func.isDeclaration() && failed(distributeKernel(func, *target)))
        return signalPassFailure();
  }
};
} // namespace
