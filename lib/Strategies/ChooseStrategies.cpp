//===- ChooseStrategies.cpp - How each instruction is computed ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/Elementwise.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Strategies/Choose.h"
#include "lib/Strategies/Products.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CHOOSESTRATEGIESPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

static std::optional<Strategy> choose(Operation *op, const Launch &launch) {
  return llvm::TypeSwitch<Operation *, std::optional<Strategy>>(op)
      .Case<GemmOp, CooperativeMatrixMulAddOp, CooperativeMatrixLoadOp, CumsumOp>(
          [&](auto each) { return chooseStrategy(each, launch); })
      .Default(std::nullopt);
}

/// Sums, element-wise ops and parallel loops of the linalg stage.
static std::optional<Strategy> chooseOfLinalg(Operation *op, const Launch &launch) {
  if (!isDistributed(op))
    return std::nullopt;
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return chooseStrategy(loop, launch);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return std::nullopt;
  if (generic.getNumReductionLoops() == 0)
    return chooseStrategy(generic, launch);
  std::optional<Reduction> reduction = Reduction::match(generic);
  return reduction ? chooseStrategy(*reduction, launch) : std::nullopt;
}

static std::optional<Strategy> chooseOnTiles(Operation *op) {
  if (auto blas = dyn_cast<BlasOpInterface>(op))
    return chooseTileStrategy(blas);
  return std::nullopt;
}

static void
chooseAll(Operation *kernel,
          llvm::function_ref<std::optional<Strategy>(Operation *)> chooseOne) {
  kernel->walk([&](Operation *op) {
    if (Strategy::find(op))
      return;
    if (std::optional<Strategy> strategy = chooseOne(op))
      strategy->setOn(op);
  });
}

static LogicalResult chooseForKernel(FuncOp func, TargetAttr target) {
  std::optional<uint32_t> lanes = func.getSubgroupSize();
  std::optional<ArrayRef<int32_t>> size = func.getWorkGroupSize();
  if (!lanes || !size)
    return func.emitError("expected the kernel to have a subgroup size and a "
                          "work-group size, got none: run "
                          "tinytc-choose-work-group-size first");
  Launch launch{target,     getMachine(target),           (*size)[0],
                (*size)[1], static_cast<int32_t>(*lanes), func.getScheduleAttr()};
  int64_t free = countBytesForCopies(func, target);
  chooseAll(func, [&](Operation *op) {
    std::optional<Strategy> strategy = choose(op, launch);
    if (strategy && strategy->kind == StrategyKind::LocalCopies)
      return fitLocalCopies(cast<GemmOp>(op), *strategy, launch.machine, free);
    return strategy;
  });
  completeTiles(func, launch.machine);
  return success();
}

std::optional<Launch> tinytc::getLaunch(func::FuncOp func) {
  TargetAttr target = findTarget(func);
  auto lanes = getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(func);
  auto size = getDiscardable<TinyTCDialect::WorkGroupSizeAttrHelper>(func);
  if (!target || !lanes || !size)
    return std::nullopt;
  return Launch{target,
                getMachine(target),
                size[0],
                size[1],
                static_cast<int32_t>(lanes.getInt()),
                getDiscardable<TinyTCDialect::ScheduleAttrHelper>(func)};
}

namespace {
struct ChooseStrategies final
    : tinytc::impl::ChooseStrategiesPassBase<ChooseStrategies> {
  using ChooseStrategiesPassBase::ChooseStrategiesPassBase;

  void runOnOperation() override {
    if (tiles) {
      for (FuncOp func : getOperation().getOps<FuncOp>())
        chooseAll(func, chooseOnTiles);
      return;
    }
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (failed(chooseForKernel(func, *target)))
        return signalPassFailure();
    // Distribution says which sizes are missing.
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (std::optional<Launch> launch = getLaunch(func))
        chooseAll(func, [&](Operation *op) { return chooseOfLinalg(op, *launch); });
  }
};
} // namespace
