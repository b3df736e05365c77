//===- ChooseStrategies.cpp - How each instruction is computed ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Strategies/Choose.h"

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

static void chooseAll(Operation *kernel, const Launch &launch) {
  kernel->walk([&](Operation *op) {
    if (Strategy::find(op))
      return;
    if (std::optional<Strategy> strategy = choose(op, launch))
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
  chooseAll(func, {target, getMachine(target), (*size)[0], (*size)[1],
                   static_cast<int32_t>(*lanes), func.getScheduleAttr()});
  return success();
}

namespace {
struct ChooseStrategies final
    : tinytc::impl::ChooseStrategiesPassBase<ChooseStrategies> {
  using ChooseStrategiesPassBase::ChooseStrategiesPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (failed(chooseForKernel(func, *target)))
        return signalPassFailure();
  }
};
} // namespace
