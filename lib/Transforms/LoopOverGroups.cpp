//===- LoopOverGroups.cpp - Several groups in one work-group --------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Starting a work-group can cost as much as a tiny kernel. A work-group therefore runs
// as many groups as the schedule says, one after the other: neighbours in dimension x
// of the grid. The number of groups in x is one more parameter, since the last
// work-group may have fewer. Groups that can lie side by side stay as they are until
// the end of the gpu stage.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/GroupsPerBlock.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_LOOPOVERGROUPSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// The groups [from, to) that a work-group runs.
struct Range {
  Value from, to;
};

Range createRange(ImplicitLocOpBuilder &builder, int64_t share, Value numGroups) {
  Type index = builder.getIndexType();
  Value size = ConstantOp::create(builder, index, share);
  Value id = GroupIdOp::create(builder, index);
  Value from = ArithMulOp::create(builder, id, size);
  Value to = ArithAddOp::create(builder, from, size);
  return {from, ArithMinOp::create(builder, to, numGroups)};
}

/// Whether the next group reuses the memory of a group.
bool usesLocalMemory(FuncOp func) {
  return func.walk([](AllocaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Leaves the number of groups in the manifest for the conversion that puts them side
/// by side. What comes before sees one group.
void announceGroups(FuncOp func) {
  ScheduleAttr schedule = func.getScheduleAttr();
  setManifest(func, getManifest(func).withGroupsOfBlock(schedule.getGroups()));
  if (schedule.getRows() || schedule.getColumns() || schedule.getUnroll())
    func.setScheduleAttr(ScheduleAttr::get(func.getContext(), schedule.getRows(),
                                           schedule.getColumns(), schedule.getUnroll(),
                                           /*groups=*/0));
  else
    func.removeScheduleAttr();
}

struct LoopOverGroups final : tinytc::impl::LoopOverGroupsPassBase<LoopOverGroups> {
  using LoopOverGroupsPassBase::LoopOverGroupsPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    ScheduleAttr schedule = func.getScheduleAttr();
    if (!schedule || schedule.getGroups() <= 1)
      return markAllAnalysesPreserved();
    TargetAttr target = findTarget(func);
    if (target && func.getWorkGroupSize() &&
        canShareBlock(target, func, countWorkItems(func), schedule.getGroups()))
      return announceGroups(func);
    ImplicitLocOpBuilder builder(func.getLoc(), &getContext());
    unsigned count = func.getNumArguments();
    if (failed(func.insertArgument(count, builder.getIndexType(),
                                   builder.getDictionaryAttr({}), func.getLoc())))
      return signalPassFailure();
    Value numGroups = func.getArgument(count);

    Block &body = func.getBody().front();
    SmallVector<Operation *> ops = llvm::map_to_vector(
        body.without_terminator(), [](Operation &op) { return &op; });
    builder.setInsertionPoint(body.getTerminator());
    Range range = createRange(builder, schedule.getGroups(), numGroups);
    auto loop = ForOp::create(builder, range.from, range.to,
                              /*step=*/Value(), /*inits=*/ValueRange(),
                              /*unroll=*/builder.getBoolAttr(false));
    Block *inner =
        builder.createBlock(&loop.getBody(), {}, builder.getIndexType(), func.getLoc());
    for (Operation *op : ops)
      op->moveBefore(inner, inner->end());
    inner->walk([&](Operation *op) { replaceBuiltin(op, *inner, numGroups); });
    builder.setInsertionPointToEnd(inner);
    if (usesLocalMemory(func))
      BarrierOp::create(builder, /*fenceGlobal=*/false, /*fenceLocal=*/true);
    YieldOp::create(builder, ValueRange());
  }

private:
  /// Inside the loop, group_id and group_size mean the groups of the launch. Those of
  /// other dimensions are the same for all groups of the work-group.
  static void replaceBuiltin(Operation *op, Block &inner, Value numGroups) {
    Value group;
    if (auto id = dyn_cast<GroupIdOp>(op); id && id.getDimension() == Dimension::X)
      group = inner.getArgument(0);
    else if (auto size = dyn_cast<GroupSizeOp>(op);
             size && size.getDimension() == Dimension::X)
      group = numGroups;
    if (!group)
      return;
    op->getResult(0).replaceAllUsesWith(group);
    op->erase();
  }
};

} // namespace
