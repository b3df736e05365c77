//===- Pass.cpp - Distribute linalg ops over the work-items ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/Elementwise.h"
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

static LogicalResult distributeSum(ImplicitLocOpBuilder &builder,
                                   const WorkGroup &group, linalg::GenericOp op,
                                   NextGroup &next) {
  if (op.getNumReductionLoops() != 1)
    return op->emitError("expected one reduction loop, got ")
           << op.getNumReductionLoops();
  std::optional<Reduction> reduction = Reduction::match(op);
  if (!reduction)
    return op->emitError("expected a reduction into an accumulator in private memory "
                         "that is filled before and read by one element-wise op after "
                         "it, got another form");
  if (Operation *update = reduction->getUpdate()) {
    FailureOr<Strategy> strategy = getStrategy(*reduction, group);
    if (failed(strategy))
      return failure();
    builder.setInsertionPoint(update);
    scf::ExecuteRegionOp region;
    if (group.getMachine().code.callsProducts) {
      region = scf::ExecuteRegionOp::create(builder, TypeRange());
      builder.createBlock(&region.getRegion());
    }
    distributeReduction(builder, group, *reduction, *strategy, next);
    if (region) {
      builder.setInsertionPointToEnd(&region.getRegion().front());
      scf::YieldOp::create(builder);
    }
    update->erase();
  }
  Operation *accumulator = op.getDpsInits().front().getDefiningOp();
  for (Operation *done :
       {op.getOperation(), reduction->fill.getOperation(), accumulator})
    done->erase();
  return success();
}

static LogicalResult distributeOp(Operation *op, const WorkGroup &group,
                                  NextGroup &next) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  auto loop = dyn_cast<scf::ForallOp>(op);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!loop && !generic)
    return op->emitError("expected a linalg.generic, got '")
           << op->getName() << "': run tinytc-normalize-linalg first";
  if (generic && generic.getNumReductionLoops() > 0)
    return distributeSum(builder, group, generic, next);
  if (failed(loop ? distributeParallel(builder, group, loop)
                  : distributeElementwise(builder, group, generic)))
    return failure();
  op->erase();
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
  if (failed(sizes))
    return failure();
  auto builder =
      ImplicitLocOpBuilder::atBlockBegin(func.getLoc(), &func.getBody().front());
  WorkGroup group(builder, target, sizes->workGroupSize, sizes->subgroupSize);
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isDistributed(op))
      ops.push_back(op);
  });
  NextGroup next(func, getDiscardable<TinyTCDialect::ScheduleAttrHelper>(func));
  for (Operation *op : ops)
    if (failed(distributeOp(op, group, next)))
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
