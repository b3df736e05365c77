//===- GroupsPerBlock.cpp - Groups that share a work-group ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/GroupsPerBlock.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Schedule.h"
#include "lib/Analysis/Traffic.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most groups of a block, whose third dimension they are.
static constexpr int64_t kMaxGroups = 64;

int64_t tinytc::countWorkItems(FuncOp func) {
  ArrayRef<int32_t> size = *func.getWorkGroupSize();
  return int64_t(size[0]) * size[1];
}

/// Bytes of local memory of one group: up to the end of its last array or, before these
/// have places, of all arrays together.
static int64_t countLocalBytes(FuncOp func) {
  int64_t placed = 0, all = 0;
  func.walk([&](AllocaOp op) {
    if (std::optional<LocalRange> range = getLocalRange(op))
      placed = std::max(placed, range->offset + range->bytes);
    all += getLocalBytes(op.getType());
  });
  return llvm::alignTo(placed > 0 ? placed : all, kLocalMemoryAlignment);
}

bool tinytc::canShareBlock(TargetAttr target, FuncOp func, int64_t items,
                           int64_t groups) {
  const Machine &machine = getMachine(target);
  const Target *record = lookupTarget(target.getName());
  return machine.warps.maxWorkGroupsOfCore > 0 && record &&
         machine.warps.lanes % items == 0 && groups <= kMaxGroups &&
         groups * items <= target.getMaxWorkGroupSize() &&
         groups * countLocalBytes(func) <= record->maxDeclaredLocalMemoryBytes;
}

int64_t tinytc::chooseGroupsPerBlock(TargetAttr target, FuncOp func) {
  const Machine &machine = getMachine(target);
  int64_t items = countWorkItems(func);
  if (machine.warps.lanes % items != 0)
    return 1;
  int64_t groups = machine.warps.lanes / items;
  int64_t most = machine.warps.sharedWorkGroupItems / items;
  int64_t bytes = estimateTraffic(func, kTypicalSize);
  // Half of the time, a group computes or stores.
  while (bytes > 0 && groups < most &&
         groups * bytes * machine.warps.maxWorkGroupsOfCore <
             2 * machine.warps.bytesInFlight)
    groups *= 2;
  while (groups > 1 && !canShareBlock(target, func, items, groups))
    groups /= 2;
  return groups;
}
