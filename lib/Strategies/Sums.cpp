//===- Sums.cpp - Sums at the linalg stage --------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Strategies/Sums.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Lanes along the summed mode
//===----------------------------------------------------------------------===//

/// The adjacent elements of a line that a work-item loads at once from all inputs.
static int64_t getAdjacentOfLine(linalg::GenericOp op, const Machine &machine) {
  int64_t count = machine.bytesAtOnce;
  for (Value input : op.getDpsInputs()) {
    count =
        std::min(count, isFirstModeContiguous(input)
                            ? getAdjacentElements(machine, getElementTypeOrSelf(input))
                            : 1);
  }
  return std::max<int64_t>(count, 1);
}

static Strategy chooseSubgroupReduction(linalg::GenericOp op, const Machine &machine) {
  Strategy strategy{StrategyKind::SubgroupReduction};
  strategy.adjacent = getAdjacentOfLine(op, machine);
  // Where work-items take several elements at once, but not of this type, each is a
  // message of its own.
  bool areSingle = machine.bytesAtOnce > 0 && machine.alignedBytesAtOnce == 0 &&
                   strategy.adjacent == 1;
  strategy.rows = areSingle ? machine.linesAtOnce / 2 : machine.linesAtOnce;
  strategy.unroll = machine.sumsPerLine;
  strategy.tailUnroll = machine.sumsOfSingleLine;
  return strategy;
}

//===----------------------------------------------------------------------===//
// Tiles of work-items
//===----------------------------------------------------------------------===//

/// The mode of the destination along which the work-items lie: the second one if an
/// input is contiguous along it and none along the first. In a grid for unknown sizes,
/// few work-items lie along the rows, and each reads adjacent elements.
static int64_t chooseRowMode(const Reduction &reduction, const Machine &machine) {
  linalg::GenericOp op = reduction.sum;
  if (machine.model->choosesGrids() &&
      llvm::all_of(reduction.getShape(), ShapedType::isDynamic))
    return 0;
  auto isContiguousAlong = [&](unsigned dim) {
    return llvm::any_of(llvm::seq<unsigned>(0, op.getNumDpsInputs()), [&](unsigned i) {
      AffineMap map = op.getIndexingMapsArray()[i];
      return map.getNumResults() > 0 &&
             cast<AffineDimExpr>(map.getResult(0)).getPosition() == dim;
    });
  };
  bool isMatrix = op.getNumParallelLoops() == 2;
  return isMatrix && isContiguousAlong(1) && !isContiguousAlong(0) ? 1 : 0;
}

/// The rows that a work-item loads at once from the inputs that have rows, where their
/// strides keep the alignment of the first one if loads need one. A launch checks
/// strides that the program does not say.
static int64_t getAdjacentRows(linalg::GenericOp op, unsigned rowMode, int64_t width,
                               const Machine &machine) {
  const int64_t bytes = machine.bytesAtOnce;
  if (bytes == 0)
    return 1;
  const bool needsAlignment = machine.alignedBytesAtOnce > 0;
  // Where launches find no alignment, loads of single rows should still be of one line.
  const bool maybeAligned = width * bytes <= machine.cache.lineBytes;
  int64_t rows = 0;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    auto type = dyn_cast<MemRefType>(op.getDpsInputs()[i].getType());
    AffineMap map = op.getIndexingMapsArray()[i];
    if (!type || !map.isFunctionOfDim(rowMode))
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    bool isAlongRows = cast<AffineDimExpr>(map.getResult(0)).getPosition() == rowMode;
    if (!isAlongRows || failed(type.getStridesAndOffset(strides, offset)) ||
        strides.front() != 1)
      return 1;
    int64_t atOnce = std::max<int64_t>(bytes / getSizeBytes(type.getElementType()), 1);
    for (int64_t stride :
         ArrayRef(strides).drop_front(needsAlignment ? 1 : strides.size()))
      if (!ShapedType::isDynamic(stride))
        atOnce = std::gcd(atOnce, stride);
      else if (!maybeAligned)
        atOnce = 1;
    rows = rows ? std::gcd(rows, atOnce) : atOnce;
  }
  return std::max<int64_t>(rows, 1);
}

/// The input whose elements go through registers, if there is one.
static std::optional<unsigned> findSharedOperand(linalg::GenericOp op, unsigned rowMode,
                                                 const Machine &machine) {
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    if (isSharedByRows(op, i, rowMode) &&
        goesThroughRegisters(machine, getElementTypeOrSelf(op->getOperand(i))))
      return i;
  return std::nullopt;
}

/// Whether the factor that is not shared by rows is in local memory.
static bool hasLocalRows(linalg::GenericOp op, unsigned shared) {
  return llvm::any_of(llvm::seq<unsigned>(0, op.getNumDpsInputs()), [&](unsigned i) {
    auto type = dyn_cast<MemRefType>(op->getOperand(i).getType());
    return i != shared && type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
  });
}

/// Whether launches say how far apart two steps are in the factor along the rows.
static bool isFarApart(linalg::GenericOp op, unsigned rowMode) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!type || !map.isFunctionOfDim(rowMode) ||
        failed(type.getStridesAndOffset(strides, offset)))
      return false;
    return llvm::any_of(llvm::zip(map.getResults(), strides), [&](auto pair) {
      auto [result, stride] = pair;
      auto dim = dyn_cast<AffineDimExpr>(result);
      return dim &&
             op.getIteratorTypesArray()[dim.getPosition()] ==
                 utils::IteratorType::reduction &&
             ShapedType::isDynamic(stride);
    });
  });
}

/// The sum as the cost model sees it, if it is computed as the strategy says.
static ReductionShape getShape(const Reduction &reduction, const Strategy &strategy,
                               const Launch &launch) {
  linalg::GenericOp op = reduction.sum;
  SmallVector<int64_t> sizes(reduction.getShape());
  sizes.resize(2, 1);
  auto [input, mode] = findSummedMode(op);
  int64_t length = cast<MemRefType>(op->getOperand(input).getType()).getShape()[mode];
  Type type = reduction.getAccumulatorType();
  ReductionShape shape(sizes[strategy.rowMode], sizes[1 - strategy.rowMode], length,
                       type);
  if (strategy.kind == StrategyKind::SplitComplex)
    return getRealShape(shape);
  shape.converts = llvm::any_of(op.getDpsInputs(), [&](Value operand) {
    return getElementTypeOrSelf(operand.getType()) != type;
  });
  if (strategy.kind == StrategyKind::SharedOperand) {
    shape.sharingLanes = launch.subgroupSize;
    shape.hasLocalRows = hasLocalRows(op, strategy.operand);
  }
  shape.isFarApart = shape.hasKnownSizes() && isFarApart(op, strategy.rowMode);
  shape.isInLoop = op->getParentOfType<scf::ForOp>() != nullptr;
  if (strategy.sharesColumns)
    shape.columnShares = strategy.gridColumns;
  return shape;
}

static void setTile(Strategy &strategy, const ReductionShape &shape,
                    const Launch &launch) {
  TileSchedule tile =
      chooseTile(launch.target, shape, strategy.gridRows, launch.schedule);
  strategy.rows = tile.rows;
  strategy.columns = tile.columns;
  strategy.unroll = tile.unroll;
  strategy.columnsOutside = tile.columnsOutside;
}

static Strategy chooseSplitComplex(const Reduction &reduction, unsigned input,
                                   const Launch &launch) {
  Strategy strategy{StrategyKind::SplitComplex};
  strategy.operand = input;
  strategy.adjacent = 1;
  strategy.gridRows = launch.width;
  strategy.gridColumns = launch.height;
  setTile(strategy, getShape(reduction, strategy, launch), launch);
  // Two columns of the real product are the parts of a complex one.
  strategy.columns = std::max<int64_t>(strategy.columns / 2, 1);
  return strategy;
}

/// Whether tiles fetch the next group's matrices: a work-group, or the launch, runs
/// groups one after the other, and the product has more than one column, which is over
/// too soon to hide that.
static bool fetchesNextGroup(const ReductionShape &shape, const Launch &launch) {
  const Machine &machine = launch.machine;
  bool runsInTurn = launch.schedule && launch.schedule.getGroups() > 1;
  return machine.launches.fetchesNextGroup && launch.getNumSubgroups() == 1 &&
         (runsInTurn || machine.launches.runsGroupsInTurn) && shape.rows != 0 &&
         shape.columns != 0 && shape.columns != 1 && shape.length != 0;
}

static Strategy chooseTiles(const Reduction &reduction, const Launch &launch) {
  linalg::GenericOp op = reduction.sum;
  const Machine &machine = launch.machine;
  Strategy strategy{StrategyKind::WorkItems};
  strategy.rowMode = chooseRowMode(reduction, machine);
  if (auto shared = findSharedOperand(op, strategy.rowMode, machine)) {
    strategy.kind = StrategyKind::SharedOperand;
    strategy.operand = *shared;
  }
  const int64_t items = launch.width * launch.height;
  ReductionShape shape = getShape(reduction, strategy, launch);
  strategy.gridRows =
      chooseGridWidth(machine, shape, launch.width, items, launch.schedule);
  strategy.gridColumns = items / strategy.gridRows;
  strategy.sharesColumns = strategy.gridColumns > 1 && machine.model->choosesGrids();
  shape = getShape(reduction, strategy, launch);
  setTile(strategy, shape, launch);
  strategy.adjacent = getAdjacentRows(op, strategy.rowMode, strategy.gridRows, machine);
  strategy.prefetch = fetchesNextGroup(shape, launch);
  return strategy;
}

std::optional<Strategy> tinytc::chooseStrategy(const Reduction &reduction,
                                               const Launch &launch) {
  linalg::GenericOp op = reduction.sum;
  // An unused result is not computed.
  if (!reduction.getUpdate() || op.getNumReductionLoops() != 1)
    return std::nullopt;
  if (sumsAlongLines(op))
    return chooseSubgroupReduction(op, launch.machine);
  bool isOneVector = launch.getNumSubgroups() == 1 && launch.width % 2 == 0;
  if (launch.machine.vectors.splitsComplexNumbers && isOneVector)
    if (std::optional<unsigned> input = findComplexRows(reduction))
      return chooseSplitComplex(reduction, *input, launch);
  if (op.getNumParallelLoops() > 2)
    return std::nullopt;
  return chooseTiles(reduction, launch);
}

std::optional<EstimatedSum> tinytc::estimateSum(const Reduction &reduction,
                                                const Strategy &strategy,
                                                const Launch &launch) {
  if (strategy.kind == StrategyKind::SubgroupReduction)
    return std::nullopt;
  ReductionShape shape = getShape(reduction, strategy, launch);
  SmallVector<EstimatedTile> tiles =
      estimateTiles(launch.machine, shape, strategy.gridRows);
  return EstimatedSum{shape, std::move(tiles)};
}
