//===- ChooseRegisters.cpp - Registers of a thread ------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Schedule.h"
#include "lib/Analysis/Traffic.h"
#include "lib/Target/Target.h"
#include "lib/Transforms/WorkGroupSizes.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CHOOSEREGISTERSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// What more registers for a thread have to gain: less may be an error of the estimate.
static constexpr double kLeastGain = 0.05;

/// The estimated cycles of a core for a group of the kernel, if cores have many groups.
/// The slowest of three things decides: starting the instructions; waiting, for which
/// the threads of a core take turns; and the memory. Infinity if the work-group is too
/// large.
static double estimateTime(FuncOp func, TargetAttr target,
                           const WorkGroupSizes &sizes) {
  const Machine &machine = getMachine(target);
  int64_t width = sizes.group[0], workItems = width * sizes.group[1];
  if (workItems > target.getMaxWorkGroupSize())
    return std::numeric_limits<double>::infinity();
  double subgroups = double(workItems) / sizes.subgroup;
  double instructions =
      subgroups * estimateCost(target, func, width, sizes.subgroup, sizes.group[1]);
  double waiting = subgroups * estimateWaits(target, func, width, sizes.subgroup) *
                   machine.memoryLatencyCycles;
  return std::max(
      {instructions, (instructions + waiting) / double(machine.threadsPerCore),
       double(estimateTraffic(func, kTypicalSize)) / machine.memoryBytesPerCycle});
}

/// The same for all kernels of a module. Products on the matrix unit have tiles of
/// their own, which fit few registers: kernels with them do not count.
static FailureOr<double> estimateTime(ModuleOp module, TargetAttr target) {
  double time = 0;
  for (FuncOp func : module.getOps<FuncOp>()) {
    FailureOr<WorkGroupSizes> sizes =
        findWorkGroupSizes(func, target, /*packGroups=*/true);
    if (failed(sizes))
      return failure();
    if (!hasMatrixUnitProduct(func, getMachine(target)))
      time += estimateTime(func, target, *sizes);
  }
  return time;
}

/// The fastest number of registers, 0 for the usual one.
static FailureOr<int64_t> chooseRegisters(ModuleOp module, TargetAttr target) {
  FailureOr<double> usual = estimateTime(module, target);
  if (failed(usual))
    return failure();
  int64_t best = 0;
  double shortest = (1 - kLeastGain) * *usual;
  for (const Machine &machine : lookupTarget(target.getName())->machines) {
    FailureOr<double> time =
        estimateTime(module, withRegisters(target, machine.threadRegisters));
    if (failed(time))
      return failure();
    if (*time < shortest) {
      shortest = *time;
      best = machine.threadRegisters;
    }
  }
  return best;
}

namespace {
struct ChooseRegisters final : tinytc::impl::ChooseRegistersPassBase<ChooseRegisters> {
  using ChooseRegistersPassBase::ChooseRegistersPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (target->getRegisters() != 0 || getMachine(*target).threadRegisters == 0)
      return;
    FailureOr<int64_t> registers = chooseRegisters(getOperation(), *target);
    if (failed(registers))
      return signalPassFailure();
    if (*registers != 0)
      setDiscardable<TinyTCDialect::TargetAttrHelper>(
          getOperation(), withRegisters(*target, *registers));
  }
};
} // namespace
