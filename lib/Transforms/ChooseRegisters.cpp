//===- ChooseRegisters.cpp - Registers of a thread ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Schedule.h"
#include "lib/Analysis/Traffic.h"
#include "lib/IR/CoopMatrixLayout.h"
#include "lib/Strategies/Choose.h"
#include "lib/Target/Target.h"
#include "lib/Transforms/WorkGroupSizes.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CHOOSEREGISTERSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The least gain by more registers per thread: less may be an error of the estimate.
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

/// Whether a factor fits 128 registers beside sums that fill half of them, as ocloc
/// compiles them: blocks of known places and 16 bits do.
static bool isSmallFactor(Value factor, const Machine &machine) {
  auto load = factor.getDefiningOp<CooperativeMatrixLoadOp>();
  if (!load || !machine.unit.readsBlocks)
    return false;
  auto type = cast<MemrefType>(load.getSource().getType());
  return load.getChecked() == Checked::None && type.hasStaticShape() &&
         type.getNumDynamicStrides() == 0 &&
         load.getType().getElementType().getIntOrFloatBitWidth() == 16;
}

/// Whether a product of coopmatrices spills in a loop: its sums stay in registers, one
/// for each component of a work-item, and leave too few for the factors.
static bool spills(CooperativeMatrixMulAddOp op, const Launch &launch) {
  const Machine &machine = launch.machine;
  if (!op->getParentOfType<ForOp>() ||
      chooseStrategy(op, launch).kind != StrategyKind::MatrixUnit)
    return false;
  int64_t sums =
      CoopMatrixLayout(op.getC().getType(), launch.subgroupSize).getNumComponents();
  if (sums < machine.threadRegisters / 2)
    return false;
  bool fits = isSmallFactor(op.getA(), machine) && isSmallFactor(op.getB(), machine);
  return sums >= machine.threadRegisters || !fits;
}

/// Whether a kernel of the module spills, and its work-groups may have twice the
/// registers.
static FailureOr<bool> spills(ModuleOp module, TargetAttr target, TargetAttr larger) {
  bool isFound = false;
  for (FuncOp func : module.getOps<FuncOp>()) {
    FailureOr<WorkGroupSizes> sizes =
        findWorkGroupSizes(func, target, /*packGroups=*/true);
    if (failed(sizes))
      return failure();
    int64_t width = sizes->group[0], height = sizes->group[1];
    if (width * height > larger.getMaxWorkGroupSize())
      return false;
    Launch launch{target, getMachine(target),       width,
                  height, int32_t(sizes->subgroup), func.getScheduleAttr()};
    func.walk([&](CooperativeMatrixMulAddOp op) { isFound |= spills(op, launch); });
  }
  return isFound;
}

/// The estimated cycles for all kernels of a module. Products on the matrix unit have
/// tiles of their own, which fit few registers: kernels with them do not count.
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
  for (const Machine &machine : lookupTarget(target.getName())->machines) {
    if (machine.threadRegisters <= getMachine(target).threadRegisters)
      continue;
    FailureOr<bool> mustHaveMore =
        spills(module, target, withRegisters(target, machine.threadRegisters));
    if (failed(mustHaveMore))
      return failure();
    if (*mustHaveMore)
      return machine.threadRegisters;
  }
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
