//===- Schedule.cpp - How work is tiled over work-items -------------------===//

#include "lib/Analysis/Schedule.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// What the cost model knows of a target. Costs are in cycles.
struct Machine {
  StringLiteral target;
  /// Bytes of a vector register, and how many of them a work-group's lanes share.
  int64_t registerBytes, registers;
  /// Registers that addresses take where sizes are dynamic; scalar ones do not count.
  int64_t addressRegisters;
  /// Where sizes are dynamic, each column has an address of its own.
  int64_t maxRows, maxColumns, maxDynamicColumns;
  /// One fused multiply-add of a full register, one load, one load of an element for all
  /// lanes, and the cycles until the sum of the step before is there.
  double fma, load, broadcast, latency;
  /// Instructions that a core starts in a cycle.
  double issue;
  /// The most steps of a sum in one iteration of its loop, and the number of steps up
  /// to which there is none.
  int64_t unroll, unrollAll;
  /// Whether the driver may unroll them further. That of a CPU gains nothing by it, and
  /// takes up to twice the time.
  bool mayDriverUnroll;
  /// Streaming one full register through memory.
  double stream;
  /// What starting and finishing a tile costs beside its loop, and what another loop
  /// costs, over tiles of a second size: branches that are not foreseen, more code.
  double overhead, secondLoop;
  /// Columns from which on a transposed A is transposed once.
  int64_t minTransposedColumns;
  /// The least work of a work-group that is worth to be started; 0: any.
  double workGroupCost;
  /// Sets of the first cache, a power of two, and lines in each; 0: not of concern.
  int64_t cacheSets, cacheWays;
};

} // namespace

// CPU: the registers of AVX-512, AVX2 and SSE, of which some hold rows and broadcast
// elements. GPU: registers per work-item, so that one register is 4 bytes of each lane.
// Of several entries for a target, the first one is typical.
// clang-format off
static const Machine kMachines[] = {
    // registerBytes, registers, addressRegisters | maxRows, maxColumns, maxDynamicColumns |
    // fma, load, broadcast, latency, issue | unroll, unrollAll, mayDriverUnroll | stream | overhead,
    // secondLoop | minTransposedColumns | workGroupCost | cacheSets, cacheWays
    {"cpu", 64, 32, 0,  16, 16, 5,  0.5, 0.5, 0.5, 4, 8,    1, 0, false,  8, 12, 40,  4, 40000, 64, 8},
    {"cpu", 32, 16, 0,  16, 16, 3,  0.5, 0.5, 0.8, 4, 3.4,  3, 4, false,  4, 12, 80,  4, 40000, 64, 8},
    {"cpu", 16, 16, 0,  16, 16, 3,  0.5, 0.5, 0.5, 4, 3.4,  3, 4, false,  4, 12, 80,  4, 40000, 64, 8},
    {"intel-gpu:pvc", 64, 80, 12,  2, 16, 16,  1, 1, 1, 8, 8,  1, 0, true,  16, 40, 40,  12, 0, 0, 0},
    {"intel-gpu:dg2", 64, 44, 12,  2, 8, 8,    1, 1, 1, 8, 8,  1, 0, true,  16, 40, 40,  12, 0, 0, 0},
};
// clang-format on

/// Cycles of an element that is read across lines.
static constexpr double kGather = 1.5;

/// A size for the estimate where the program leaves it open: no multiple of what lanes
/// and tiles are.
static constexpr int64_t kTypicalSize = 35;

static int64_t orTypical(int64_t size) {
  return ShapedType::isDynamic(size) ? kTypicalSize : size;
}

static const Machine &getMachine(TargetAttr target) {
  auto find = [&](auto isWanted) {
    return llvm::find_if(kMachines, [&](const Machine &m) {
      return m.target == target.getName() && isWanted(m);
    });
  };
  const auto *machine = find(
      [&](const Machine &m) { return m.registerBytes == target.getVectorBytes(); });
  if (machine == std::end(kMachines))
    machine = find([](const Machine &) { return true; });
  return machine == std::end(kMachines) ? kMachines[0] : *machine;
}

int64_t tinytc::getVectorBytes(TargetAttr target) {
  return getMachine(target).registerBytes;
}

bool tinytc::mayDriverUnroll(TargetAttr target) {
  return getMachine(target).mayDriverUnroll;
}

int64_t tinytc::getMinTransposedColumns(TargetAttr target) {
  return getMachine(target).minTransposedColumns;
}

bool tinytc::collidesInCache(TargetAttr target, int64_t count, int64_t strideBytes) {
  const Machine &machine = getMachine(target);
  if (machine.cacheSets == 0 || strideBytes % kCacheLineBytes != 0)
    return false;
  int64_t step = std::gcd(machine.cacheSets, strideBytes / kCacheLineBytes);
  return count > machine.cacheSets / step * machine.cacheWays;
}

/// Columns are outside if the first cache keeps what lies along the rows: all of it is
/// read for every tile of columns. Tiles that follow each other then write other rows
/// than the next ones read, which matters where columns lie a power of two apart.
static bool fitsInCache(const Machine &machine, const ReductionShape &shape) {
  int64_t bytes =
      orTypical(shape.rows) * orTypical(shape.length) * getSizeBytes(shape.type);
  return bytes <= machine.cacheSets * machine.cacheWays * kCacheLineBytes;
}

namespace {

/// Estimates the cost of tiles of one reduction.
class CostModel {
public:
  CostModel(const Machine &machine, const ReductionShape &shape, int64_t width)
      : machine(machine), hasDynamicRows(ShapedType::isDynamic(shape.rows)),
        hasDynamicColumns(ShapedType::isDynamic(shape.columns)),
        columnsOutside(fitsInCache(machine, shape)), rows(orTypical(shape.rows)),
        columns(orTypical(shape.columns)), length(orTypical(shape.length)),
        width(width), blocks(std::max<int64_t>(llvm::divideCeil(rows, width), 1)),
        maxColumns(std::min(machine.maxColumns, columns)),
        registers(machine.registers) {
    if (llvm::is_contained({shape.rows, shape.columns, shape.length},
                           ShapedType::kDynamic)) {
      maxColumns = std::min(machine.maxDynamicColumns, maxColumns);
      registers -= machine.addressRegisters;
    }
    // The elements of the other lanes.
    registers -= shape.exchanges;
    int64_t bytes = std::max<int64_t>(getSizeBytes(shape.type), 4) * width;
    registersPerValue = llvm::divideCeil(bytes, machine.registerBytes);
    // Half of a register costs more than half: loads, loops and addresses stay.
    costPerValue = double(registersPerValue);
    if (2 * bytes <= machine.registerBytes)
      costPerValue *= 0.6;
  }

  bool fits(int64_t tileRows, int64_t tileColumns) const {
    int64_t values = tileRows * tileColumns + std::min(tileRows, tileColumns) + 1;
    return values * registersPerValue <= registers;
  }

  int64_t getBlocks() const { return blocks; }
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
    return cost + double(numSecondLoops) * machine.secondLoop;
  }

private:
  /// Numbers of tiles along a mode, with their sizes.
  using Tiles = SmallVector<std::pair<int64_t, int64_t>, 2>;

  static Tiles getTiles(int64_t extent, int64_t size) {
    EvenTiles tiles(extent, size);
    Tiles result{{tiles.numNarrow, tiles.narrow}};
    if (tiles.numWide > 0)
      result.push_back({tiles.numWide, tiles.narrow + 1});
    return result;
  }

  /// In blocks of work-items. What is left over of a dynamic number goes row by row, in
  /// a loop that there always is.
  Tiles getRowTiles(int64_t size) const {
    if (!hasDynamicRows)
      return getTiles(blocks, size);
    int64_t count = rows / (size * width);
    return {{count, size}, {blocks - count * size, 1}};
  }

  Tiles getColumnTiles(int64_t size) const {
    if (!hasDynamicColumns)
      return getTiles(columns, size);
    return {{llvm::divideCeil(columns, size), size}};
  }

  double getTileCost(int64_t tileRows, int64_t tileColumns) const {
    double values = tileRows * tileColumns * costPerValue;
    double loads = tileRows * costPerValue;
    double step = std::max(
        {values * machine.fma, loads * machine.load + tileColumns * machine.broadcast,
         (values + loads + tileColumns + 1) / machine.issue, machine.latency});
    return step * length + values + machine.overhead;
  }

  const Machine &machine;
  bool hasDynamicRows, hasDynamicColumns, columnsOutside;
  int64_t rows, columns, length, width, blocks, maxColumns, registers;
  int64_t registersPerValue;
  double costPerValue;
};

struct CostedTile {
  TileSchedule tile;
  /// Of the whole reduction.
  double cost;
};

} // namespace

/// Finds the cheapest tile.
static CostedTile findTile(const Machine &machine, const ReductionShape &shape,
                           int64_t width) {
  CostModel model(machine, shape, width);
  bool columnsOutside = model.hasColumnsOutside();
  CostedTile best{{1, 1, 1, columnsOutside}, model.getCost(1, 1)};
  int64_t maxRows = std::min(machine.maxRows, model.getBlocks());
  for (int64_t rows = 1; rows <= maxRows; ++rows)
    for (int64_t columns = 1; columns <= model.getMaxColumns(); ++columns) {
      if (!model.fits(rows, columns))
        continue;
      double cost = model.getCost(rows, columns);
      if (cost < best.cost)
        best = {{rows, columns, 1, columnsOutside}, cost};
    }
  return best;
}

/// As many steps as leave none over, else two. Conversions make steps long enough, and
/// where the length is dynamic, what is left over would be a loop of its own.
static int64_t chooseUnroll(const Machine &machine, const ReductionShape &shape) {
  if (shape.converts || ShapedType::isDynamic(shape.length))
    return 1;
  if (shape.length <= machine.unrollAll)
    return std::max<int64_t>(shape.length, 1);
  for (int64_t steps = machine.unroll; steps > 1; --steps)
    if (shape.length % steps == 0)
      return steps;
  return std::min<int64_t>(machine.unroll, 2);
}

TileSchedule tinytc::chooseTile(TargetAttr target, const ReductionShape &shape,
                                int64_t width, ScheduleAttr given) {
  const Machine &machine = getMachine(target);
  TileSchedule tile = findTile(machine, shape, width).tile;
  tile.unroll = chooseUnroll(machine, shape);
  if (given) {
    auto override = [](int64_t &entry, int64_t value) {
      entry = value ? value : entry;
    };
    override(tile.rows, given.getRows());
    override(tile.columns, given.getColumns());
    override(tile.unroll, given.getUnroll());
  }
  return tile;
}

ReductionShape tinytc::getRealShape(const ReductionShape &shape) {
  return {twice(shape.rows), twice(shape.columns),
          shape.length,      cast<ComplexType>(shape.type).getElementType(),
          shape.converts,    /*exchanges=*/true};
}

/// What an instruction sums up, if it is a sum of products.
static std::optional<ReductionShape> getReductionShape(Operation *op) {
  auto blas = dyn_cast<BlasOpInterface>(op);
  if (!blas || !blas.isReduction() || blas.getFactors().size() != 2)
    return std::nullopt;
  SmallVector<int64_t> shape = blas.getProductShape();
  int64_t length = shape.pop_back_val();
  shape.resize(2, 1);
  return ReductionShape{shape[0], shape[1], length,
                        getScalarType(blas.getDestination().getType())};
}

/// Cycles of the transposition of a matrix: by lines that lanes exchange if one vector
/// holds an element of each, else by elements.
static double estimateTransposition(const Machine &machine, MemrefType type,
                                    int64_t width) {
  double elements = 1;
  for (int64_t size : type.getShape())
    elements *= orTypical(size);
  bool isByLines = width * getSizeBytes(type.getElementType()) <= machine.registerBytes;
  return elements * (isByLines ? 3.0 / double(width) : kGather);
}

/// Cycles of one collective instruction.
static double estimateOp(const Machine &machine, Operation *op, int64_t width) {
  if (std::optional<ReductionShape> shape = getReductionShape(op)) {
    if (machine.target == "cpu" && isa<ComplexType>(shape->type))
      shape = getRealShape(*shape);
    double cost = findTile(machine, *shape, width).cost;
    if (auto gemm = dyn_cast<GemmOp>(op); gemm && gemm.getTransposeA() == Transpose::T)
      cost += estimateTransposition(machine, cast<MemrefType>(gemm.getA().getType()),
                                    width);
    return cost;
  }
  // Element-wise, or a sum over all elements: the cost of loads and stores.
  double blocks = 1;
  int64_t bytes = 4;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemrefType>(operand.getType())) {
      double elements = 1;
      for (auto [mode, size] : llvm::enumerate(type.getShape()))
        elements *=
            mode == 0 ? llvm::divideCeil(orTypical(size), width) : orTypical(size);
      blocks = std::max(blocks, elements);
      bytes = std::max(bytes, getSizeBytes(type.getElementType()));
    }
  double registers = std::max<double>(1, double(bytes) * width / machine.registerBytes);
  return machine.overhead + machine.stream * registers * blocks;
}

/// What an SPMD region or an instruction outside of the estimate may cost.
static constexpr double kTypicalCost = 100;

double tinytc::estimateCost(TargetAttr target, FuncOp func, int64_t width) {
  const Machine &machine = getMachine(target);
  double cost = 0;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ParallelOp, ForeachOp>(op)) {
      cost += kTypicalCost;
      return WalkResult::skip();
    }
    if (!op->hasTrait<Collective>() || isa<AllocaOp>(op))
      return WalkResult::advance();
    double factor = 1;
    for (auto loop = op->getParentOfType<ForOp>(); loop;
         loop = loop->getParentOfType<ForOp>())
      factor *= kTypicalSize;
    cost += factor * estimateOp(machine, op, width);
    return WalkResult::advance();
  });
  return cost;
}

int64_t tinytc::chooseGroups(TargetAttr target, FuncOp func) {
  ArrayRef<int32_t> size = *func.getWorkGroupSize();
  double cost = std::max(estimateCost(target, func, size[0]), 1.0);
  return std::clamp<int64_t>(getMachine(target).workGroupCost / cost, 1, 256);
}
