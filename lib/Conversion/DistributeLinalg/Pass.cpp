//===- Pass.cpp - Distribute linalg ops over the work-items ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"
#include "lib/Conversion/DistributeLinalg/Prefetch.h"

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
static bool isUpdateOfReduction(Operation *op) {
  // A loop may have arrays of its own.
  auto isAccumulator = [op](Value memref) {
    auto array = memref.getDefiningOp<memref::AllocaOp>();
    return array && !op->isAncestor(array);
  };
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return llvm::any_of(generic.getDpsInputs(), isAccumulator);
  auto loop = dyn_cast<scf::ParallelOp>(op);
  return loop && llvm::any_of(loop.getBody()->getOps<memref::LoadOp>(),
                              [&](memref::LoadOp load) {
                                return isAccumulator(load.getMemRef());
                              });
}

static LogicalResult distributeOp(Operation *op, const WorkGroup &group,
                                  TargetAttr target, ScheduleAttr schedule,
                                  NextGroup &next) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  if (auto loop = dyn_cast<scf::ParallelOp>(op)) {
    if (failed(distributeParallel(builder, group, loop)))
      return failure();
    op->erase();
    return success();
  }
  auto generic = cast<linalg::GenericOp>(op);
  if (generic.getNumReductionLoops() == 0) {
    distributeElementwise(builder, group, generic, target);
    op->erase();
    return success();
  }
  if (generic.getNumReductionLoops() != 1)
    return op->emitError("expected one reduction loop, got ")
           << generic.getNumReductionLoops();
  std::optional<Reduction> reduction = Reduction::match(generic);
  if (!reduction)
    return op->emitError("expected a reduction into an accumulator in private memory "
                         "that is filled before and read by one element-wise op after "
                         "it, got another form");
  if (Operation *update = reduction->getUpdate()) {
    builder.setInsertionPoint(update);
    scf::ExecuteRegionOp region;
    if (getMachine(target).code.callsProducts) {
      region = scf::ExecuteRegionOp::create(builder, TypeRange());
      builder.createBlock(&region.getRegion());
    }
    distributeReduction(builder, group, *reduction, target, schedule, next);
    if (region) {
      builder.setInsertionPointToEnd(&region.getRegion().front());
      scf::YieldOp::create(builder);
    }
    update->erase();
  }
  Operation *accumulator = generic.getDpsInits().front().getDefiningOp();
  for (Operation *done : {op, reduction->fill.getOperation(), accumulator})
    done->erase();
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
  FailureOr<KernelSizes> sizes = getKernelSizes(func);
  if (failed(sizes) || failed(normalize(func, target)))
    return failure();
  auto builder =
      ImplicitLocOpBuilder::atBlockBegin(func.getLoc(), &func.getBody().front());
  WorkGroup group(builder, target, sizes->workGroupSize, sizes->subgroupSize);
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    bool isWork = isa<scf::ParallelOp>(op) ||
                  (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op));
    if (isWork && !isUpdateOfReduction(op))
      ops.push_back(op);
  });
  auto schedule = getDiscardable<TinyTCDialect::ScheduleAttrHelper>(func);
  NextGroup next(func, group, schedule);
  for (Operation *op : ops)
    if (failed(distributeOp(op, group, target, schedule, next)))
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
