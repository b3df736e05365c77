//===- StagedFactors.cpp - Products with stages in local memory -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The model of a core, which many groups share: the slowest of memory, multiply-adds,
// loads from local memory and the time of a work-group, for which the work-groups that
// the core runs at once take turns. A tenth of the others is added, since they do not
// overlap wholly. It is fitted to times on an H100 (docs/nvidia.md).
//
//===----------------------------------------------------------------------===//

#include "dialect/Scalars.h"
#include "lib/Analysis/StagedProduct.h"
#include "lib/IR/WarpFragments.h"
#include "lib/Strategies/Products.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// A product of known sizes, with the bytes that come from memory and go there.
struct StreamedProduct {
  int64_t rows, columns, summed, elementBytes;
  double bytes;
};

/// A strategy and what it takes.
struct StageCandidate {
  Strategy strategy;
  double cycles = std::numeric_limits<double>::infinity();
};

} // namespace

/// Multiply-adds that are started of those that could be, next to loads; the part of
/// the time in which loads are under way.
static constexpr double kIssued = 0.93, kUnderWay = 0.5;

/// Cycles of a group on today's way: work-items load elements where they are. Their
/// loads wait for memory twice in four steps, and half of the time none is under way;
/// those of fragments of f64 touch a line for every second lane.
static double estimateDirect(const StreamedProduct &product, const Machine &machine,
                             bool usesUnit) {
  static constexpr int64_t kSteps = 4, kTile = 64, kMaxThreads = 256, kRegisters = 128;
  static constexpr double kCyclesOfFragments = 256;
  static constexpr int64_t kNarrow = 16;
  static constexpr double kOfMemory = 1.26, kOfMemoryIfNarrow = 1.6,
                          kOfMemoryWithoutLoop = 1.15;
  const AsyncCopies &core = machine.asyncCopies;
  double memory = product.bytes / core.memoryBytesPerCycle;
  double multiplyAdds = double(product.rows) * product.columns * product.summed;
  double sums = multiplyAdds / core.fmasPerCycle;
  if (usesUnit) {
    double parts = double(llvm::divideCeil(product.rows, StagedProduct::kUnitSize)) *
                   llvm::divideCeil(product.columns, StagedProduct::kUnitSize);
    double loads = kCyclesOfFragments * parts * llvm::divideCeil(product.summed, 8);
    return std::max(kOfMemory * memory, loads + sums);
  }
  // All loads are under way at once.
  if (product.summed <= machine.costs.maxStepsWithoutLoop)
    return std::max(kOfMemoryWithoutLoop * memory, sums);
  if (product.columns < kNarrow)
    return std::max(kOfMemoryIfNarrow * memory, sums);
  int64_t threads = std::clamp<int64_t>(llvm::PowerOf2Ceil(product.rows) *
                                            llvm::PowerOf2Ceil(product.columns) / kTile,
                                        32, kMaxThreads);
  double groups = std::min<double>(core.coreRegisters / (threads * kRegisters), 32);
  double underWay = kUnderWay * groups * kSteps * product.elementBytes *
                    double(product.rows + product.columns);
  return std::max({kOfMemory * memory, product.bytes * core.latencyCycles / underWay,
                   sums / kIssued});
}

/// Cycles of a group with stages; infinity if no work-group fits a core.
static double estimateStaged(const StreamedProduct &product,
                             const StagedProduct &staged, const Machine &machine) {
  static constexpr double kStartCycles = 600, kSlabCycles = 60, kOfOthers = 0.1,
                          kOfSecondCache = 1.9;
  static constexpr int64_t kLaneRegisters = 168, kUnitRegisters = 144;
  const AsyncCopies &core = machine.asyncCopies;
  bool usesUnit = staged.type.isF64();
  int64_t subgroups = staged.getNumSubgroups();
  int64_t threads = subgroups * WarpFragments::kLanes;
  int64_t registers = threads * (usesUnit ? kUnitRegisters : kLaneRegisters);
  double groups =
      std::min({core.coreRegisters / registers,
                core.coreLocalBytes / (staged.getBytes() + core.reservedBytes),
                core.coreThreads / threads});
  if (groups == 0)
    return std::numeric_limits<double>::infinity();
  double items = double(llvm::divideCeil(product.rows, staged.getRows())) *
                 llvm::divideCeil(product.columns, staged.getColumns());
  double slabs = llvm::divideCeil(product.summed, staged.getSteps());
  double steps = slabs * staged.getSteps();
  // Memory, and the second cache, which has what several tiles of a matrix read.
  double bytesOfSlab = staged.getSteps() * product.elementBytes *
                       double(std::min(product.rows, staged.getRows()) +
                              std::min(product.columns, staged.getColumns()));
  double ahead =
      std::min<double>(slabs, slabs <= staged.stages ? slabs : staged.stages - 1);
  double underWay = kUnderWay * groups * ahead * bytesOfSlab;
  double again =
      items * slabs * bytesOfSlab -
      product.summed * product.elementBytes * double(product.rows + product.columns);
  double perCycle = std::min(core.memoryBytesPerCycle, underWay / core.latencyCycles);
  double memory =
      std::max(product.bytes, (product.bytes + std::max(again, 0.0)) / kOfSecondCache) /
      perCycle;
  // Multiply-adds, of the core and of one work-group alone on its four schedulers.
  double ofPart = double(StagedProduct::getPartRows(staged.type)) *
                  StagedProduct::getPartColumns(staged.type) * steps / kIssued;
  double sums = items * subgroups * ofPart / core.fmasPerCycle;
  double alone = llvm::divideCeil(subgroups, 4) * ofPart / (core.fmasPerCycle / 4);
  // Loads of 16 bytes a lane: of f32, two lanes share each.
  double loads = usesUnit ? steps / 8 * 8 * 4 : steps / 4 * 16 * 2;
  double cache =
      items * (subgroups * loads + slabs * bytesOfSlab / core.cacheBytesPerCycle);
  double lifetime =
      kStartCycles + items * (core.latencyCycles + slabs * kSlabCycles + alone);
  double times[] = {memory, sums, cache, lifetime / groups};
  double slowest = *llvm::max_element(times);
  return slowest + kOfOthers * (llvm::sum_of(times) - slowest);
}

/// The bytes that each group reads and writes for itself.
static double countStreamedBytes(GemmOp op) {
  double elements = 0;
  auto count = [&](Value matrix, int64_t times) {
    auto type = cast<MemrefType>(matrix.getType());
    if (isStreamed(matrix))
      elements += times * double(type.getShape()[0]) * type.getShape()[1];
  };
  count(op.getA(), 1);
  count(op.getB(), 1);
  count(op.getC(), isConstant(op.getBeta(), 0) ? 1 : 2);
  return elements * getSizeBytes(getScalarType(op.getC().getType()));
}

/// Whether the product is all that its kernel computes: the model knows nothing of
/// other instructions, which would share its work-group.
static bool isAlone(GemmOp op) {
  WalkResult others = op->getParentOfType<FuncOp>().walk([&](Operation *other) {
    bool isOther = other != op && (isa<BlasOpInterface>(other) ||
                                   other->hasTrait<SpmdRegion>() || isa<ForOp>(other));
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !others.wasInterrupted();
}

static bool isStaged(GemmOp op, const Machine &machine) {
  auto isKnown = [](Value matrix) {
    return cast<MemrefType>(matrix.getType()).hasStaticShape();
  };
  return machine.asyncCopies.memoryBytesPerCycle > 0 && isKnown(op.getA()) &&
         isKnown(op.getB()) && isKnown(op.getC()) && isStreamed(op.getA()) &&
         isStreamed(op.getB()) && isAlone(op);
}

/// The best stages for a grid of subgroups.
static StageCandidate chooseStages(GemmOp op, const Machine &machine,
                                   const StreamedProduct &product, int64_t gridRows,
                                   int64_t gridColumns) {
  static constexpr int64_t kMaxStages = 4;
  Type type = getScalarType(op.getC().getType());
  StageCandidate best{{StrategyKind::StagedFactors}};
  for (int64_t steps : {32, 16, 8})
    for (int64_t stages = 2; stages <= kMaxStages; ++stages) {
      Strategy strategy{StrategyKind::StagedFactors};
      strategy.rows = gridRows * StagedProduct::getPartRows(type);
      strategy.columns = gridColumns * StagedProduct::getPartColumns(type);
      strategy.gridRows = gridRows;
      strategy.gridColumns = gridColumns;
      strategy.unroll = steps;
      strategy.stages = stages;
      auto staged = StagedProduct::match(op, machine, strategy);
      if (!staged || staged->a.atOnce == 1 || staged->b.atOnce == 1)
        continue;
      strategy.localBytes = staged->getBytes();
      double cycles = estimateStaged(product, *staged, machine);
      if (cycles < best.cycles)
        best = {strategy, cycles};
    }
  return best;
}

std::optional<Strategy> tinytc::chooseStagedFactors(GemmOp op, const Machine &machine,
                                                    ScheduleAttr given) {
  /// The gains from which on stages pay, and tiles that are only a part of C; and the
  /// rows that the model was fitted for.
  static constexpr double kLeastGain = 1.1, kLeastGainOfTiles = 1.02;
  static constexpr int64_t kMinRows = 48, kMaxRows = 128;
  bool isGiven = given && (given.getRows() || given.getColumns() || given.getUnroll() ||
                           given.getGroups() > 1);
  if (isGiven || !isStaged(op, machine))
    return std::nullopt;
  Type type = getScalarType(op.getC().getType());
  ProductSizes sizes(op);
  if (sizes.rows < kMinRows || std::max(sizes.rows, sizes.columns) > kMaxRows)
    return std::nullopt;
  StreamedProduct product{sizes.rows, sizes.columns, sizes.summed, getSizeBytes(type),
                          countStreamedBytes(op)};
  const int64_t rows = llvm::divideCeil(sizes.rows, StagedProduct::getPartRows(type));
  const int64_t columns =
      llvm::divideCeil(sizes.columns, StagedProduct::getPartColumns(type));
  StageCandidate best{{StrategyKind::StagedFactors}};
  for (int64_t gridColumns = columns; gridColumns > 0; --gridColumns)
    for (int64_t gridRows = rows; gridRows > 0; --gridRows) {
      if (gridRows * gridColumns > machine.maxSubgroups)
        continue;
      StageCandidate candidate =
          chooseStages(op, machine, product, gridRows, gridColumns);
      if (candidate.cycles * kLeastGainOfTiles < best.cycles)
        best = candidate;
    }
  bool usesUnit = runsOnMatrixUnit(op, machine, machine.unit.lanes);
  double direct = estimateDirect(product, machine, usesUnit);
  if (best.cycles * kLeastGain > direct)
    return std::nullopt;
  return best.strategy;
}
