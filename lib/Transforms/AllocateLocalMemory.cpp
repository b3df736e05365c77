//===- AllocateLocalMemory.cpp - Places of allocas in local memory --------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// An alloca is live from its op to its lifetime_stop, or to the end of its block. Two
// that are never live at the same time may share memory. A product waits for the one
// before it packed its factors: those share memory, too.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Strategy.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_ALLOCATELOCALMEMORYPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// An alloca with the positions in program order between which it is live.
struct Interval {
  AllocaOp op;
  int64_t begin, end;
};

/// Numbers the ops of a kernel in program order and finds the live ranges of its
/// allocas.
SmallVector<Interval> findIntervals(FuncOp func) {
  llvm::DenseMap<Operation *, int64_t> positions;
  SmallVector<Interval> intervals;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    positions[op] = positions.size();
    if (auto alloca = dyn_cast<AllocaOp>(op))
      intervals.push_back({alloca, 0, 0});
  });
  for (Interval &interval : intervals) {
    interval.begin = positions[interval.op];
    Block *block = interval.op->getBlock();
    interval.end = positions[block->getTerminator()];
    // A stop in an inner block may not be reached: it is live to the block's end then.
    for (Operation *user : interval.op->getUsers())
      if (isa<LifetimeStopOp>(user) && user->getBlock() == block)
        interval.end = positions[user];
  }
  return intervals;
}

/// Places the intervals, which are ordered by their beginnings, one after the other at
/// the lowest free offset; returns the bytes that all of them take.
int64_t placeIntervals(ArrayRef<Interval> intervals) {
  int64_t total = 0;
  SmallVector<std::pair<LocalRange, int64_t>> placed;
  for (const Interval &interval : intervals) {
    AllocaOp op = interval.op;
    LocalRange range{0, getLocalBytes(op.getType())};
    int64_t alignment =
        std::max<int64_t>(op.getAlignment().value_or(1), kAllocaAlignment);
    bool moved = true;
    while (moved) {
      moved = false;
      for (auto [other, end] : placed)
        if (end > interval.begin && range.overlaps(other)) {
          range.offset = llvm::alignTo(other.offset + other.bytes, alignment);
          moved = true;
        }
    }
    setLocalOffset(op, range.offset);
    placed.push_back({range, interval.end});
    total = std::max(total, range.offset + range.bytes);
  }
  return total;
}

/// Returns the first alloca that ends beyond a limit that one does end beyond.
AllocaOp findFirstBeyond(ArrayRef<Interval> intervals, int64_t limitBytes) {
  const Interval *found = llvm::find_if(intervals, [&](const Interval &interval) {
    std::optional<LocalRange> range = getLocalRange(interval.op);
    return range && range->offset + range->bytes > limitBytes;
  });
  return found->op;
}

LogicalResult verifyAlignment(AllocaOp op) {
  if (kLocalMemoryAlignment % op.getAlignment().value_or(1) == 0)
    return success();
  return op->emitError("expected 'alignment' to divide that of local memory, ")
         << kLocalMemoryAlignment << ", got " << *op.getAlignment();
}

struct AllocateLocalMemory final
    : tinytc::impl::AllocateLocalMemoryPassBase<AllocateLocalMemory> {
  using AllocateLocalMemoryPassBase::AllocateLocalMemoryPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    TargetAttr target = findTarget(func);
    SmallVector<Interval> intervals = findIntervals(func);
    for (const Interval &interval : intervals)
      if (failed(verifyAlignment(interval.op)))
        return signalPassFailure();
    int64_t bytes = placeIntervals(intervals);
    if (target && bytes > target.getLocalMemoryBytes()) {
      AllocaOp first = findFirstBeyond(intervals, target.getLocalMemoryBytes());
      first->emitError("expected at most ")
          << target.getLocalMemoryBytes() << " bytes of local memory on target '"
          << target.getName() << "', got " << bytes << " in kernel '" << func.getName()
          << "'";
      return signalPassFailure();
    }
    if (target)
      placeFactors(func, target, bytes);
  }

private:
  /// The strategy of a product for whose factors there is no local memory.
  static Strategy readByElements(const Strategy &packed) {
    Strategy strategy{StrategyKind::MatrixUnit};
    strategy.rows = strategy.elementRows = packed.elementRows;
    strategy.columns = strategy.elementColumns = packed.elementColumns;
    return strategy;
  }

  /// The strategy of a product whose factors have so many bytes of local memory: packed
  /// in shorter parts, all of about the same length. None if there is no room for a
  /// step.
  static std::optional<Strategy> shortenParts(Strategy packed, int64_t bytes) {
    int64_t stepBytes = packed.localBytes / packed.unroll;
    int64_t steps = std::min(packed.unroll, bytes / stepBytes);
    if (steps <= 0)
      return std::nullopt;
    int64_t parts = llvm::divideCeil(packed.unroll, steps);
    packed.unroll = llvm::divideCeil(packed.unroll, parts);
    packed.localBytes = packed.unroll * stepBytes;
    return packed;
  }

  /// Places the factors of products that are packed in local memory after the allocas,
  /// if work-groups then still share it. Others are no longer packed.
  static void placeFactors(FuncOp func, TargetAttr target, int64_t allocaBytes) {
    int64_t offset = llvm::alignTo(allocaBytes, kAllocaAlignment);
    int64_t free =
        target.getLocalMemoryBytes() / getMachine(target).launches.workGroupsPerCore -
        offset;
    func.walk([&](GemmOp op) {
      std::optional<Strategy> strategy = Strategy::find(op);
      if (hasStrategy(op, {StrategyKind::DotProducts, StrategyKind::TileRegisters})) {
        if (strategy->localBytes <= free)
          return setLocalOffset(op, offset);
        removeDiscardable<TinyTCDialect::StrategyAttrHelper>(op);
      }
      // Their work-groups need all of local memory rather than few stages.
      if (hasStrategy(op, StrategyKind::StagedFactors)) {
        if (offset + strategy->localBytes <= target.getLocalMemoryBytes())
          return setLocalOffset(op, offset);
        removeDiscardable<TinyTCDialect::StrategyAttrHelper>(op);
      }
      if (!strategy || strategy->kind != StrategyKind::PackedFactors)
        return;
      if (std::optional<Strategy> fitting = shortenParts(*strategy, free)) {
        fitting->setOn(op);
        return setLocalOffset(op, offset);
      }
      readByElements(*strategy).setOn(op);
    });
  }
};

} // namespace
