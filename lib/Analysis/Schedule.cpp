//===- Schedule.cpp - How work is tiled over work-items -------------------===//

#include "lib/Analysis/Schedule.h"
#include "lib/Analysis/GroupsPerBlock.h"
#include "lib/Analysis/LaneLayout.h"
#include "lib/Analysis/ModuleTarget.h"

using namespace mlir;
using namespace mlir::tinytc;

int64_t tinytc::orTypical(int64_t size) {
  return ShapedType::isDynamic(size) ? kTypicalSize : size;
}

/// The same for rows or columns of a product. Where the work-items are a grid, small
/// sizes get smaller tiles when the kernel runs: its largest ones are for large sizes.
static int64_t orTypicalOfGrid(const Machine &machine, int64_t size) {
  static constexpr int64_t kLarge = 128;
  return ShapedType::isDynamic(size) && getFactorBytesAtOnce(machine) ? kLarge
                                                                      : orTypical(size);
}

/// Columns are the outer loop if the input along the rows fits the first cache: all of
/// it is read for every tile of columns. Consecutive tiles then write other rows than
/// the next ones read, which matters where columns are a power of two apart.
static bool fitsInCache(const Machine &machine, const ReductionShape &shape) {
  int64_t bytes =
      orTypical(shape.rows) * orTypical(shape.length) * getSizeBytes(shape.type);
  return bytes <= machine.getCacheBytes();
}

namespace {

/// Estimates the cost of the tiles of one reduction.
class CostModel {
public:
  CostModel(const Machine &machine, const ReductionShape &shape, int64_t width)
      : machine(machine), hasDynamicRows(ShapedType::isDynamic(shape.rows)),
        hasDynamicColumns(ShapedType::isDynamic(shape.columns)),
        columnsOutside(fitsInCache(machine, shape)), columnShares(shape.columnShares),
        rows(orTypicalOfGrid(machine, shape.rows)),
        columns(
            llvm::divideCeil(orTypicalOfGrid(machine, shape.columns), columnShares)),
        length(orTypical(shape.length)), width(width),
        blocks(std::max<int64_t>(llvm::divideCeil(rows, width), 1)),
        maxRows(std::min(machine.maxTileRows, blocks)),
        maxColumns(std::min(machine.maxTileColumns, columns)),
        registers(machine.numRegisters) {
    if (llvm::is_contained({shape.rows, shape.columns, shape.length},
                           ShapedType::kDynamic)) {
      maxColumns = std::min(machine.maxDynamicTileColumns, maxColumns);
      registers -= machine.addressRegisters;
    }
    // The elements of the other lanes.
    registers -= shape.exchanges;
    elementBytes = std::max<int64_t>(getSizeBytes(shape.type), 4);
    sharingLanes = shape.sharingLanes;
    hasLocalRows = shape.hasLocalRows;
    if (sharingLanes && shape.isInLoop)
      registers -= machine.loopRegisters;
    int64_t bytes = elementBytes * (sharingLanes ? sharingLanes : width);
    if (getFactorBytesAtOnce(machine))
      bytes = elementBytes * machine.preferredSubgroupSize;
    registersPerValue = llvm::divideCeil(bytes, machine.registerBytes);
    costPerValue = double(registersPerValue);
    if (2 * bytes <= machine.registerBytes)
      costPerValue *= machine.partialRegisterFactor;
  }

  bool fits(int64_t tileRows, int64_t tileColumns) const {
    if (sharingLanes)
      return fitsShared(tileRows, tileColumns, 1);
    int64_t values = tileRows * tileColumns + std::min(tileRows, tileColumns) + 1;
    if (int64_t steps = getFactorBytesAtOnce(machine) / elementBytes) {
      // Rows and columns in parts of any number are halved and quartered.
      if ((hasDynamicRows && !llvm::isPowerOf2_64(tileRows)) ||
          (hasDynamicColumns && !llvm::isPowerOf2_64(tileColumns)))
        return false;
      // Large tiles of these wait for the elements of one step at a time.
      if (hasDynamicRows && hasDynamicColumns)
        steps = 1;
      values = tileRows * tileColumns + steps * (tileRows + tileColumns);
    }
    return values * registersPerValue <= registers;
  }

  int64_t getMaxRows() const { return maxRows; }
  int64_t getMaxColumns() const { return maxColumns; }

  bool hasColumnsOutside() const { return columnsOutside; }

  /// Cost of the reduction in tiles of up to this size.
  double getCost(int64_t tileRows, int64_t tileColumns) const {
    Tiles rowTiles = getRowTiles(tileRows), columnTiles = getColumnTiles(tileColumns);
    double cost = 0;
    for (auto [numRows, height] : rowTiles)
      for (auto [numColumns, breadth] : columnTiles)
        cost += double(numRows * numColumns) * getTileCost(height, breadth);
    const Tiles &outer = columnsOutside ? columnTiles : rowTiles;
    const Tiles &inner = columnsOutside ? rowTiles : columnTiles;
    int64_t numSecondLoops = outer.size() > 1;
    if (inner.size() > 1)
      for (auto [count, size] : outer)
        numSecondLoops += count;
    return cost + double(numSecondLoops) * machine.secondLoopCycles +
           getReloadCost(rowTiles, columnTiles);
  }

  /// How often a work-item waits for inputs, with tiles of up to this size: once for
  /// each block of steps.
  double getWaits(int64_t tileRows, int64_t tileColumns) const {
    double waits = 0;
    for (auto [numRows, height] : getRowTiles(tileRows))
      for (auto [numColumns, breadth] : getColumnTiles(tileColumns)) {
        int64_t steps = 1;
        if (sharingLanes && height > 0 && breadth > 0)
          steps = chooseSharedSteps(height, breadth, /*hasDynamicLength=*/false);
        waits += double(numRows * numColumns * llvm::divideCeil(length, steps));
      }
    return waits;
  }

  /// Steps of the sum whose shared elements lanes hold at once: all of them or, in a
  /// loop, about as many as fit, with as few steps after the loop as possible.
  int64_t chooseSharedSteps(int64_t tileRows, int64_t tileColumns,
                            bool hasDynamicLength) const {
    int64_t most = std::min(machine.maxUnrolledProducts / (tileRows * tileColumns),
                            machine.maxUnrolledLoads / tileRows);
    most = std::min(most, hasDynamicLength ? machine.maxDynamicSharedSteps : length);
    int64_t first = 0, best = 0;
    for (int64_t steps = most; steps > first / 2; --steps) {
      // Two blocks would be no loop, but twice the code.
      bool isLoop = hasDynamicLength || steps == length || 2 * steps <= length;
      if (!isLoop || !fitsShared(tileRows, tileColumns, steps))
        continue;
      if (first == 0)
        first = best = steps;
      if (hasDynamicLength)
        break;
      if (length % steps < length % best)
        best = steps;
    }
    return std::max<int64_t>(best, 1);
  }

private:
  /// What lanes hold of `steps` steps, which are contiguous if they are all.
  LaneLayout getSharedLayout(int64_t tileColumns, int64_t steps) const {
    bool isLine = steps == length;
    return LaneLayout(isLine ? steps * tileColumns : steps, isLine ? 1 : tileColumns,
                      elementBytes, sharingLanes);
  }

  /// Whether there are registers for the sums, rows, their addresses and the elements
  /// that a lane has loaded for others.
  bool fitsShared(int64_t tileRows, int64_t tileColumns, int64_t steps) const {
    LaneLayout layout = getSharedLayout(tileColumns, steps);
    int64_t values =
        tileRows * tileColumns + 3 * tileRows + layout.getNumLoads() * layout.perLane;
    // Without a loop over the steps, their rows are the same for all tiles of columns.
    if (hasLocalRows && steps == length && tileColumns < columns)
      values += tileRows * steps;
    return values * registersPerValue <= registers;
  }

  /// Instructions for a load or a store of a value for each lane: the addresses take 8
  /// bytes for each of them.
  double getMessageCost() const {
    return machine.messageCycles +
           double(8 * sharingLanes) / double(2 * machine.registerBytes);
  }

  double getSharedTileCost(int64_t tileRows, int64_t tileColumns) const {
    // A mode of size 0 has tiles without elements.
    if (tileRows == 0 || tileColumns == 0)
      return 0;
    double values = tileRows * tileColumns * costPerValue;
    int64_t steps = chooseSharedSteps(tileRows, tileColumns, false);
    double loads =
        tileRows +
        double(getSharedLayout(tileColumns, steps).getNumLoads()) / double(steps);
    double cost = (values * machine.fmaCycles + loads * getMessageCost()) * length;
    if (length > steps)
      cost += llvm::divideCeil(length, steps) * machine.blockCycles;
    return cost + tileRows * tileColumns * getMessageCost() + machine.tileCycles;
  }

  /// Numbers of tiles along a mode, with their sizes.
  using Tiles = SmallVector<std::pair<int64_t, int64_t>, 2>;

  /// Cycles in which inputs come from the second cache again: all columns for each tile
  /// of rows, and the rows of a tile for each tile of columns. With columns outside,
  /// all rows stay in the first cache.
  double getReloadCost(const Tiles &rowTiles, const Tiles &columnTiles) const {
    if (columnsOutside || machine.elementBytesPerCycle == 0)
      return 0;
    auto exceedsCache = [&](int64_t elements) {
      return elements * elementBytes > machine.getCacheBytes();
    };
    int64_t numColumnTiles = 0, elements = 0, lines = 0;
    for (auto [count, breadth] : columnTiles)
      numColumnTiles += count;
    for (auto [count, height] : rowTiles) {
      if (exceedsCache(columns * length))
        elements += count * columns * length;
      if (int64_t rowsOfTile = height * width * length; exceedsCache(rowsOfTile))
        lines += count * numColumnTiles * rowsOfTile;
    }
    return double(elements * elementBytes) / machine.elementBytesPerCycle +
           double(lines * elementBytes) / machine.lineBytesPerCycle;
  }

  static Tiles getTiles(int64_t extent, int64_t size) {
    EvenTiles tiles(extent, size);
    Tiles result{{tiles.numNarrow, tiles.narrow}};
    if (tiles.numWide > 0)
      result.push_back({tiles.numWide, tiles.narrow + 1});
    return result;
  }

  /// In blocks of work-items. The remainder of a dynamic number goes row by row, in a
  /// loop that always exists.
  Tiles getRowTiles(int64_t size) const {
    if (!hasDynamicRows)
      return getTiles(blocks, size);
    int64_t count = rows / (size * width);
    return {{count, size}, {blocks - count * size, 1}};
  }

  Tiles getColumnTiles(int64_t size) const {
    if (!hasDynamicColumns && columnShares == 1)
      return getTiles(columns, size);
    return {{llvm::divideCeil(columns, size), size}};
  }

  double getTileCost(int64_t tileRows, int64_t tileColumns) const {
    if (sharingLanes)
      return getSharedTileCost(tileRows, tileColumns);
    double values = tileRows * tileColumns * costPerValue;
    double loads = tileRows * costPerValue;
    if (getFactorBytesAtOnce(machine))
      return std::max({values * machine.fmaCycles,
                       (tileRows + tileColumns) * costPerValue * machine.loadCycles,
                       machine.fmaLatencyCycles}) *
                 length +
             values + machine.tileCycles;
    double step =
        std::max({values * machine.fmaCycles,
                  loads * machine.loadCycles + tileColumns * machine.broadcastCycles,
                  (values + loads + tileColumns + 1) / machine.issuedPerCycle,
                  machine.fmaLatencyCycles});
    return step * length + values + machine.tileCycles;
  }

  const Machine &machine;
  bool hasDynamicRows, hasDynamicColumns, columnsOutside, hasLocalRows;
  int64_t columnShares, rows, columns, length, width, blocks, maxRows, maxColumns;
  int64_t registers;
  int64_t registersPerValue, elementBytes, sharingLanes;
  double costPerValue;
};

struct CostedTile {
  TileSchedule tile;
  /// Of the whole reduction.
  double cost;
};

} // namespace

/// Calls back with each tile that fits the registers, and its cost; first with the
/// smallest one, which is there for any machine.
static void forEachTile(const CostModel &model, const Machine &machine,
                        llvm::function_ref<void(int64_t, int64_t, double)> callback) {
  callback(1, 1, model.getCost(1, 1));
  for (int64_t rows = 1; rows <= model.getMaxRows(); ++rows)
    for (int64_t columns = 1; columns <= model.getMaxColumns(); ++columns)
      if (rows * columns > 1 && model.fits(rows, columns))
        callback(rows, columns, model.getCost(rows, columns));
}

/// Finds the cheapest tile.
static CostedTile findTile(const Machine &machine, const ReductionShape &shape,
                           int64_t width) {
  CostModel model(machine, shape, width);
  bool columnsOutside = model.hasColumnsOutside();
  CostedTile best{{1, 1, 1, columnsOutside}, std::numeric_limits<double>::infinity()};
  forEachTile(model, machine, [&](int64_t rows, int64_t columns, double cost) {
    if (cost < best.cost)
      best = {{rows, columns, 1, columnsOutside}, cost};
  });
  return best;
}

/// Work-items along rows whose number is not known.
static constexpr int64_t kDynamicGridWidth = 8;

/// The cheapest tile for all grids of the work-items of a product, and their width.
static std::pair<CostedTile, int64_t> findGrid(const Machine &machine,
                                               ReductionShape shape, int64_t width) {
  int64_t items = width * shape.columnShares, bestWidth = width;
  CostedTile best = findTile(machine, shape, width);
  if (getFactorBytesAtOnce(machine) == 0 || shape.columns == 1 || shape.columns == 0 ||
      !llvm::isPowerOf2_64(items))
    return {best, width};
  // Eight rows of which each work-item has four are a line of memory.
  if (ShapedType::isDynamic(shape.rows) && items > kDynamicGridWidth) {
    shape.columnShares = items / kDynamicGridWidth;
    return {findTile(machine, shape, kDynamicGridWidth), kDynamicGridWidth};
  }
  const int64_t rows = orTypicalOfGrid(machine, shape.rows);
  const int64_t columns = orTypicalOfGrid(machine, shape.columns);
  for (int64_t other = 1; other <= items; other *= 2) {
    shape.columnShares = items / other;
    if (other > rows || shape.columnShares > columns)
      continue;
    CostedTile tile = findTile(machine, shape, other);
    if (tile.cost < best.cost) {
      best = tile;
      bestWidth = other;
    }
  }
  return {best, bestWidth};
}

int64_t tinytc::chooseGridWidth(const Machine &machine, const ReductionShape &shape,
                                int64_t width, int64_t items, ScheduleAttr given) {
  if (given && (given.getRows() || given.getColumns()))
    return width;
  ReductionShape shared = shape;
  shared.columnShares = items / width;
  return findGrid(machine, shared, width).second;
}

/// A number of steps that leaves no remainder, else two. Conversions make steps long
/// enough, unless several steps are one load, and with a dynamic length the remainder
/// would be a loop of its own.
static int64_t chooseUnroll(const Machine &machine, const ReductionShape &shape) {
  bool isLongEnough = shape.converts && getFactorBytesAtOnce(machine) == 0;
  if (isLongEnough)
    return 1;
  if (ShapedType::isDynamic(shape.length))
    return getFactorBytesAtOnce(machine) && shape.columns != 1
               ? machine.maxUnrolledSteps
               : 1;
  if (shape.length <= machine.maxStepsWithoutLoop)
    return std::max<int64_t>(shape.length, 1);
  for (int64_t steps = machine.maxUnrolledSteps; steps > 1; --steps)
    if (shape.length % steps == 0)
      return steps;
  return std::min<int64_t>(machine.maxUnrolledSteps, 2);
}

TileSchedule tinytc::chooseTile(TargetAttr target, const ReductionShape &shape,
                                int64_t width, ScheduleAttr given) {
  const Machine &machine = getMachine(target);
  TileSchedule tile = findTile(machine, shape, width).tile;
  auto setUnroll = [&] {
    tile.unroll = shape.sharingLanes
                      ? CostModel(machine, shape, width)
                            .chooseSharedSteps(tile.rows, tile.columns,
                                               ShapedType::isDynamic(shape.length))
                      : chooseUnroll(machine, shape);
  };
  setUnroll();
  if (given) {
    auto override = [](int64_t &entry, int64_t value) {
      entry = value ? value : entry;
    };
    override(tile.rows, given.getRows());
    override(tile.columns, given.getColumns());
    setUnroll();
    override(tile.unroll, given.getUnroll());
    // With large entries, the model's own choices have to be smaller.
    auto limit = [](int64_t &entry, int64_t value, int64_t bound) {
      if (value == 0)
        entry = std::min(entry, std::max<int64_t>(bound, 1));
    };
    limit(tile.rows, given.getRows(), ScheduleAttr::kMaxElements / tile.columns);
    limit(tile.columns, given.getColumns(), ScheduleAttr::kMaxElements / tile.rows);
    limit(tile.unroll, given.getUnroll(),
          ScheduleAttr::kMaxSteps / (tile.rows * tile.columns));
  }
  return tile;
}

int64_t tinytc::getAdjacentElements(const Machine &machine, Type type) {
  // Where loads need an alignment that is only promised to products, neighbouring
  // work-items' elements are adjacent.
  if (getFactorBytesAtOnce(machine) > 0)
    return 1;
  int64_t bytes = getSizeBytes(type);
  // Drivers only merge smaller elements than words to words: more than two of them
  // would be no faster, but longer.
  return std::max<int64_t>(machine.bytesAtOnce / (bytes < 4 ? 2 : 1) / bytes, 1);
}

bool tinytc::goesThroughRegisters(const Machine &machine, Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  return machine.broadcastsRegisters && type.isIntOrFloat();
}

ReductionShape tinytc::getRealShape(const ReductionShape &shape) {
  return {twice(shape.rows), twice(shape.columns),
          shape.length,      cast<ComplexType>(shape.type).getElementType(),
          shape.converts,    /*exchanges=*/true};
}

/// What an instruction sums up, if it is a sum of products.
static std::optional<ReductionShape> getReductionShape(Operation *op,
                                                       const Machine &machine,
                                                       int64_t lanes,
                                                       int64_t columnShares) {
  auto blas = dyn_cast<BlasOpInterface>(op);
  if (!blas || !blas.isReduction() || blas.getFactors().size() != 2)
    return std::nullopt;
  SmallVector<int64_t> shape = blas.getProductShape();
  int64_t length = shape.pop_back_val();
  shape.resize(2, 1);
  ReductionShape result{shape[0], shape[1], length,
                        getScalarType(blas.getDestination().getType())};
  Value shared = blas.getFactors().back().operand->get();
  if (goesThroughRegisters(machine, getScalarType(shared.getType())))
    result.sharingLanes = lanes;
  auto rows = dyn_cast<MemrefType>(blas.getFactors().front().operand->get().getType());
  auto gemm = dyn_cast<GemmOp>(op);
  // A matrix that is transposed will be copied into local memory.
  result.isInLoop = op->getParentOfType<ForOp>() != nullptr;
  result.hasLocalRows =
      (rows && rows.isLocal()) || (gemm && gemm.getTransposeA() == Transpose::T);
  if (getFactorBytesAtOnce(machine))
    result.columnShares = columnShares;
  return result;
}

int64_t tinytc::getMaxSharedProductBytes(TargetAttr target, FuncOp func) {
  int64_t bytes = 0;
  func.walk([&](Operation *op) {
    auto shape = getReductionShape(op, getMachine(target), /*lanes=*/1,
                                   /*columnShares=*/1);
    if (!shape || !shape->sharingLanes)
      return;
    // Sums of floating-point numbers of 16 bits are f32.
    int64_t least = isa<FloatType>(shape->type) ? 4 : 1;
    bytes = std::max({bytes, least, getSizeBytes(shape->type)});
  });
  return bytes;
}

bool tinytc::hasStaticProduct(TargetAttr target, FuncOp func) {
  auto visit = [&](Operation *op) {
    auto shape = getReductionShape(op, getMachine(target), /*lanes=*/1,
                                   /*columnShares=*/1);
    bool isStatic =
        shape && shape->columns > 1 &&
        !llvm::is_contained({shape->rows, shape->columns}, ShapedType::kDynamic);
    return isStatic ? WalkResult::interrupt() : WalkResult::advance();
  };
  return func.walk(visit).wasInterrupted();
}

/// The same as lowering sees it: the parts of complex numbers may be rows and columns.
static std::optional<ReductionShape> getLoweredShape(const Machine &machine,
                                                     Operation *op, int64_t lanes,
                                                     int64_t columnShares) {
  std::optional<ReductionShape> shape =
      getReductionShape(op, machine, lanes, columnShares);
  if (shape && machine.splitsComplexNumbers && isa<ComplexType>(shape->type))
    return getRealShape(*shape);
  return shape;
}

SmallVector<EstimatedReduction> tinytc::estimateReductions(TargetAttr target,
                                                           FuncOp func, int64_t width,
                                                           ScheduleAttr given) {
  const Machine &machine = getMachine(target);
  SmallVector<EstimatedReduction> result;
  func.walk([&](Operation *op) {
    int64_t lanes = func.getSubgroupSize().value_or(width);
    std::optional<ArrayRef<int32_t>> size = func.getWorkGroupSize();
    std::optional<ReductionShape> shape =
        getLoweredShape(machine, op, lanes, size ? (*size)[1] : 1);
    if (!shape)
      return;
    int64_t items = width * shape->columnShares;
    int64_t gridWidth = chooseGridWidth(machine, *shape, width, items, given);
    shape->columnShares = items / gridWidth;
    EstimatedReduction found{
        op, *shape, chooseTile(target, *shape, gridWidth, given), {}};
    CostModel model(machine, *shape, gridWidth);
    forEachTile(model, machine, [&](int64_t rows, int64_t columns, double cycles) {
      found.tiles.push_back({rows, columns, cycles});
    });
    result.push_back(std::move(found));
  });
  return result;
}

/// Cycles of transposing a matrix: by lines if one vector holds an element of each
/// lane, else by elements. Where lanes load for themselves, each copies its share.
static double estimateTransposition(const Machine &machine, MemrefType type,
                                    int64_t width, int64_t columnShares) {
  double elements = 1;
  for (int64_t size : type.getShape())
    elements *= orTypical(size);
  if (getFactorBytesAtOnce(machine))
    return elements / double(width * columnShares) * 2 * machine.loadCycles;
  bool isByLines = machine.transposesByLanes &&
                   width * getSizeBytes(type.getElementType()) <= machine.registerBytes;
  return elements * (isByLines ? machine.transposedLineCycles / double(width)
                               : machine.gatherCycles);
}

/// Cycles of the loads and stores of an instruction that uses every element once.
static double estimateStreams(const Machine &machine, Operation *op, int64_t width,
                              int64_t columnShares) {
  double blocks = 1;
  int64_t bytes = 4;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemrefType>(operand.getType())) {
      double elements = 1;
      for (auto [mode, size] : llvm::enumerate(type.getShape())) {
        int64_t workItems = mode == 0 ? width : mode == 1 ? columnShares : 1;
        elements *= llvm::divideCeil(orTypical(size), workItems);
      }
      blocks = std::max(blocks, elements);
      bytes = std::max(bytes, getSizeBytes(type.getElementType()));
    }
  double registers = std::max<double>(1, double(bytes) * width / machine.registerBytes);
  return machine.streamCycles * registers * blocks;
}

/// Cycles of one collective instruction.
static double estimateOp(const Machine &machine, Operation *op, int64_t width,
                         int64_t lanes, int64_t columnShares) {
  if (std::optional<ReductionShape> shape =
          getLoweredShape(machine, op, lanes, columnShares)) {
    auto [tile, gridWidth] = findGrid(machine, *shape, width);
    // A work-item computes its place in another grid, a quotient and a remainder.
    double cost = tile.cost + (gridWidth == width ? 0 : 2);
    // A product with a vector uses every element of the matrix only once.
    if (cast<BlasOpInterface>(op).getDestination().getType().getOrder() < 2)
      cost = std::max(cost, estimateStreams(machine, op, width, columnShares));
    if (auto gemm = dyn_cast<GemmOp>(op); gemm && gemm.getTransposeA() == Transpose::T)
      cost += estimateTransposition(machine, cast<MemrefType>(gemm.getA().getType()),
                                    width, columnShares);
    return cost;
  }
  // Element-wise, or a sum over all elements.
  return machine.tileCycles + estimateStreams(machine, op, width, columnShares);
}

/// What an SPMD region or an instruction without an estimate may cost.
static constexpr double kTypicalCost = 100;

/// The sum over all instructions, as often as loops run them: `spmdEstimate` for an
/// SPMD region, what `estimate` returns for a collective instruction.
static double sumUp(FuncOp func, double spmdEstimate,
                    llvm::function_ref<double(Operation *)> estimate) {
  double sum = 0;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasTrait<SpmdRegion>()) {
      sum += spmdEstimate;
      return WalkResult::skip();
    }
    if (!op->hasTrait<Collective>() || isa<AllocaOp>(op))
      return WalkResult::advance();
    double factor = 1;
    for (auto loop = op->getParentOfType<ForOp>(); loop;
         loop = loop->getParentOfType<ForOp>())
      factor *= kTypicalSize;
    sum += factor * estimate(op);
    return WalkResult::advance();
  });
  return sum;
}

double tinytc::estimateCost(TargetAttr target, FuncOp func, int64_t width,
                            int64_t lanes, int64_t columnShares) {
  const Machine &machine = getMachine(target);
  return sumUp(func, kTypicalCost, [&](Operation *op) {
    return estimateOp(machine, op, width, lanes, columnShares);
  });
}

double tinytc::estimateWaits(TargetAttr target, FuncOp func, int64_t width,
                             int64_t lanes) {
  const Machine &machine = getMachine(target);
  return sumUp(func, 1, [&](Operation *op) -> double {
    std::optional<ReductionShape> shape =
        getLoweredShape(machine, op, lanes, /*columnShares=*/1);
    if (!shape)
      return 1;
    TileSchedule tile = findTile(machine, *shape, width).tile;
    return CostModel(machine, *shape, width).getWaits(tile.rows, tile.columns);
  });
}

int64_t tinytc::chooseGroups(TargetAttr target, FuncOp func) {
  const Machine &machine = getMachine(target);
  if (machine.maxWorkGroupsOfCore > 0)
    return chooseGroupsPerBlock(target, func);
  ArrayRef<int32_t> size = *func.getWorkGroupSize();
  double cost =
      std::max(estimateCost(target, func, size[0], *func.getSubgroupSize()), 1.0);
  return std::clamp<int64_t>(machine.minWorkGroupCycles / cost, 1,
                             machine.maxGroupsPerWorkGroup);
}
